/**
 * Where faults take hold of the stub. Plain data in, a deed out: neither the exchange nor the gateway knows any fault by
 * name, and no fault knows Fastify or sockets. Times are of the virtual clock.
 */

import { STATUS_CODES } from 'node:http'
import type { World } from '../world/world.ts'

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

/** Where faults take hold of the feed: see seams.ts. */

/** An upgrade as it arrives: nobody has authenticated yet. */
type SeenUpgrade = {
  /** Counted from 1 over all. */
  number: number
  userAgent: string
}

export type UpgradeDeed =
  | { do: 'delay'; ms: number }
  | { do: 'answer'; status: number; error: string; code: string; headers: Readonly<Record<string, string>> }
  /** Nothing is answered; the connection is cut after so long. */
  | { do: 'hang'; ms: number }
  /** The connection is cut. */
  | { do: 'reset' }

export type SeenSocket = {
  id: number
  /** The gateway node that serves it, from 1. */
  node: number
  /** The wallet of its ticket, as the exchange writes it; null until authenticated. */
  address: string | null
  /** Of the handshake. */
  userAgent: string
  rooms: readonly string[]
}

/** An event on its way into its room. */
export type SeenEvent = { room: string; type: string; block: number }

/** The same on its way to one socket in there. */
type SeenDelivery = SeenEvent & { socket: SeenSocket }

/** `resync`: whether those whom it concerns get `resync_required` right behind it. */
export type EventDeed =
  /** How long from now each copy goes out, to those who are in the room then: none, and the event is lost. */
  | { do: 'send'; afterMs: readonly number[]; resync: boolean }
  /** Behind the next event of its room, or after so long. */
  | { do: 'hold'; atMostMs: number; resync: boolean }

/** A control on its way to a socket. */
type SeenControl = { control: string; socket: SeenSocket }

/** A ticket that a socket authenticates with: it is good, and so old. The socket's address is the ticket's. */
type SeenTicket = { socket: SeenSocket; ageMs: number }

type FeedSeams = {
  upgrade(seen: SeenUpgrade): UpgradeDeed | undefined
  /** Once for all who are in the room. */
  event(seen: SeenEvent): EventDeed | undefined
  /** For each socket in the room. */
  delivery(seen: SeenDelivery): EventDeed | undefined
  /** Whether the node does not know it yet. */
  ticket(seen: SeenTicket): boolean
  /** How many milliseconds it is held back. */
  control(seen: SeenControl): number | undefined
}

/** The open sockets, and what a fault does to them in its own time. What is done to one that is not open does nothing. */
export type FaultyFeed = {
  /** In the order in which they were opened. */
  sockets(): readonly SeenSocket[]
  close(id: number, close: { code: number; reason: string }): void
  /** Without a close frame: its peer sees 1006. */
  cut(id: number): void
  /** From here nothing comes out of it, not even a pong or a close frame; what it sends is still acted on. */
  mute(id: number): void
  /** What goes out waits until what it returns is called. */
  stall(id: number): () => void
  sendControl(id: number, control: { control: string }): void
}

/** What a proxy in front of an exchange answers in its own words. */
export function errorPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`
  return [
    '<html>',
    `<head><title>${title}</title></head>`,
    `<body><center><h1>${title}</h1></center><hr><center>proxy</center></body>`,
    '</html>',
    '',
  ].join('\r\n')
}
