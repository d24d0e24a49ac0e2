/** How a mutant changes the stub, as data. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Auth, RedeemedTicket } from '../auth/auth.ts'
import type { Attempt } from '../auth/challenges.ts'
import type { DemoWallet } from '../auth/wallets.ts'
import type { Choices } from '../choices/choices.ts'
import type { Close } from '../choices/feed-choices.ts'
import type { Clock } from '../clock.ts'
import type { AccessNeeds } from '../exchange/access/access.ts'
import type { RateLimit } from '../exchange/access/rate-limit.ts'
import type { Ending } from '../exchange/pipeline.ts'
import type { StubLimits } from '../stub-options.ts'

export type Deviation = {
  rest?: readonly RestDeviation[]
  /** Called for each socket; the sockets of a gateway share `hub`. */
  socket?: (socket: DeviatingSocket, hub: Hub) => SocketDeviation
  limits?: Partial<StubLimits>
  rateLimit?: RateLimit
  isSigned?: (attempt: Attempt) => boolean
  auth?: (auth: Auth, tools: AuthTools) => Partial<Auth>
}

/** The breakage in words, the rules that report it, and the deviation that causes it. */
export type DeviationTable = Readonly<Record<string, { breaks: string; deviates: Deviation } & BrokenRules>>

export type BrokenRules = {
  /** Every run against the mutant reports these. */
  rules: readonly string[]
  /** A run may report these too: the traffic that shows it depends on what other probes do at the time. */
  sometimes?: readonly string[]
}

export type AuthTools = { clock: Clock; choices: Choices; wallets: readonly DemoWallet[] }

/** A JSON body of the stub, which may be changed in place. */
export type Body = { data?: unknown } & Record<string, unknown>

export type DeviationRequest = {
  request: FastifyRequest
  choices: Choices
  clock: Clock
  auth: Auth
  /** Query of the URL as it was sent. */
  query: URLSearchParams
  /** 0 before the response. */
  status: number
  /** Undefined before the response, and if it is not JSON. */
  body: Body | undefined
}

/** Called once per stub, so that the condition can count. */
export type Condition = () => (incoming: DeviationRequest) => boolean

/** The outgoing response; a JSON body may be changed in place. */
export type DeviationResponse = DeviationRequest & {
  reply: FastifyReply
  text: string
  /** The newest successful response to the same URL, for any credential. */
  cached: string | undefined
  /** The first response that the wallet got. */
  first: string | undefined
}

/** Undefined: send `body`, or the text if that is not JSON. */
export type Sent = { text: string } | { ending: Ending } | undefined

export type RestDeviation = {
  /** Registered routes such as `GET /pools/:key` (default: all). */
  routes?: (choices: Choices) => readonly string[]
  /** Default: always. For a `reply`, evaluated after the response exists. */
  when?: Condition
  /** Response statuses that `reply` changes (default: successful ones). */
  of?: readonly number[]
  request?: (incoming: DeviationRequest) => void
  needs?: Partial<AccessNeeds>
  read?: (body: Record<string, unknown>, choices: Choices) => void
  reply?: (response: DeviationResponse) => Sent
}

export type DeviatingSocket = {
  /** Counts from 1, in opening order. */
  readonly number: number
  readonly openedAtMs: number
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  readonly clock: Clock
  readonly choices: Choices
  /** Wallet of the ticket; null until authenticated. */
  address: string | null
  readonly rooms: Set<string>
  /** Number of frames received so far by action, including the current one. */
  readonly received: Map<string, number>
  /** Number of messages sent so far by type or control, including the current one. */
  readonly sent: Map<string, number>
}

/** State that the sockets of a gateway share. */
export type Hub = {
  /** Recent events, oldest first, one entry per receiving socket. */
  readonly history: Message[]
  /** Every socket opened so far. */
  readonly sockets: DeviatingSocket[]
  /** A close with 1012 has been sent. */
  restarted: boolean
  readonly memory: Map<string, number>
}

export type Frame = { action: string; room?: string; token?: string; bytes: number; characters: number }

export type Message = Record<string, unknown> & { type?: string; control?: string }

/** How a frame is handled; undefined: as usual. */
export type FrameAction =
  | 'drop'
  | 'cut'
  | { close: Close }
  | { respond: readonly Message[] }
  | { replaceWith: Record<string, unknown> }
  /** Joins the room without any check. */
  | { joins: string }
  | { afterMs: number }
  | undefined

/** Replacement messages or a delay; undefined: sends the message. */
export type MessageAction = readonly Message[] | { afterMs: number } | undefined

export type SocketDeviation = {
  /** Frame handled as the socket opens, as if the client had sent it. */
  first?: Record<string, unknown>
  frame?: (frame: Frame) => FrameAction
  message?: (message: Message) => MessageAction
  /** The close to send; null: none. */
  close?: (close: Close) => Close | 'cut' | null
  /** Rooms joined instead of this one. */
  join?: (room: string) => readonly string[]
  /** Delay from subscription to join. */
  joinMs?: (room: string) => number
  /** Messages sent on joining a room. */
  joined?: (room: string) => readonly Message[]
  /** False: the room is not left. */
  leaves?: (room: string) => boolean
  /** The ticket to use for the text of an authenticate frame. */
  ticket?: (ticket: RedeemedTicket | undefined, token: string) => RedeemedTicket | undefined
  /** Duration of a connection timer: the authentication deadline, then the ticket expiry. */
  timerMs?: (ms: number) => number
}

export function deviateAuth(auth: Auth, deviation: Deviation | undefined, tools: AuthTools): Auth {
  return { ...auth, ...deviation?.auth?.(auth, tools) }
}
