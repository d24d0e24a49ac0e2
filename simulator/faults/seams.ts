/**
 * Where faults take hold of the stub. Plain data in, a deed out: neither the exchange nor the gateway knows any fault by
 * name, and no fault knows Fastify or sockets. Times are of the virtual clock.
 */
import type { World } from '../world/world.ts'
import type { FeedSeams } from './feed-seams.ts'

/** A request as it arrives, once it is known who asks. */
export type SeenRequest = {
  /** As error bodies and the journal tell it. */
  ref: string
  method: string
  /** As it is registered, `/pools/:key`; null where there is none. */
  route: string | null
  /** The wallet that asks; null where it came without a valid credential. */
  address: string | null
  /** By which it is known to the journal and the limits; null as above. */
  credentialId: string | null
  /** Of its network. */
  remoteAddress: string
  userAgent: string
}

/** An answer as it is about to go out: what was asked for has been done, or refused. */
export type SeenAnswer = SeenRequest & { status: number; readonly body: string }

export type Answered = {
  status: number
  headers?: Readonly<Record<string, string>>
  body: string
  /** `application/json` where it is left out. */
  contentType?: string
}

/** An error in the words of the exchange, unless it comes as a page. */
export type Refused = {
  status: number
  code: 'rate_limited' | 'injected_fault'
  error: string
  /** Told in `Retry-After`, as the exchange spells it. */
  retryAfterMs?: number | undefined
  body: RefusalBody
}

/** What an error comes with: its JSON, the HTML page of a proxy, or nothing. */
export const REFUSAL_BODIES = ['json', 'html', 'none'] as const
export type RefusalBody = (typeof REFUSAL_BODIES)[number]

type Either =
  | ({ do: 'answer' } & Answered)
  | ({ do: 'refuse' } & Refused)
  | { do: 'delay'; ms: number }
  /** Nothing is answered, and the connection stays open. */
  | { do: 'hang' }
  /** The connection is cut. */
  | { do: 'reset' }

export type RequestDeed =
  | Either
  /** The exchange dates its answer, and what ends when, by a clock that is so far ahead. */
  | { do: 'skew'; ms: number }
  /** What is read comes from these views. */
  | { do: 'read'; views: World['views'] }
  /** A route is told to be of this revision. */
  | { do: 'quote'; revision: number }

export type AnswerDeed =
  | Either
  /** The head promises the whole body; so many bytes of it come, and the connection is cut. */
  | { do: 'truncate'; bytes: number }
  | { do: 'trickle'; bytesPerSecond: number }
  | { do: 'headers'; headers: Readonly<Record<string, string>> }

/** What is given to a wallet for a while. */
export type Lived = { what: 'access-session' | 'ticket'; address: string }

/** What a wallet may do rests on it: its access, its acceptance of the terms of use, an API token. */
export type Standing = {
  what: 'access' | 'terms' | 'api-token'
  address: string
  /** When the wallet came by it; null: before the world's history ended. */
  sinceMs: number | null
}

/** What an active fault may offer; whatever it leaves out goes on as if it were not there. */
export type Seams = FeedSeams & {
  /** Ahead of limits and of access levels. */
  request(seen: SeenRequest): RequestDeed | undefined
  answer(seen: SeenAnswer): AnswerDeed | undefined
  /** Ends it so long after it is given, where that is earlier than told. */
  lifetime(seen: Lived): { livesMs: number } | undefined
  /** Whether the wallet has lost it. */
  standing(seen: Standing): 'lost' | undefined
}

export type SeamName = keyof Seams
