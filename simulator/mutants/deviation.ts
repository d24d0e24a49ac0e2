/** A way in which the stub departs from what it does by default, as data: what mutants are made of. */
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
import type { StubLimits } from '../stub-limits.ts'

export type Deviation = {
  rest?: readonly RestDeviation[]
  /** Made anew for each socket; `hub` is what the sockets of one gateway share. */
  socket?: (socket: DeviatingSocket, hub: Hub) => SocketDeviation
  limits?: Partial<StubLimits>
  rateLimit?: RateLimit
  /** Decides whether the signature of a sign-in is good. */
  isSigned?: (attempt: Attempt) => boolean
  /** Returns what is different of the sign-in state. */
  auth?: (auth: Auth, tools: AuthTools) => Partial<Auth>
}

export type AuthTools = { clock: Clock; choices: Choices; wallets: readonly DemoWallet[] }

/** A JSON body of the stub, to be changed in place or replaced. */
export type Body = { data?: unknown } & Record<string, unknown>

/** A request, and its response once there is one. */
export type Asked = {
  request: FastifyRequest
  choices: Choices
  clock: Clock
  auth: Auth
  /** Of the URL as it was sent. */
  query: URLSearchParams
  /** 0 until there is a response. */
  status: number
  /** Undefined until there is a response, and if it is not JSON. */
  body: Body | undefined
}

/** Made anew for each stub, so that it may count. */
export type Condition = () => (asked: Asked) => boolean

/** The response as it goes out. A JSON body may be changed in place. */
export type Answer = Asked & {
  reply: FastifyReply
  text: string
  /** The newest successful response to the same URL, whoever requested it. */
  cached: string | undefined
  /** The first one that the wallet got. */
  first: string | undefined
}

/** Undefined: send `body` as it is now, or the text if that is not JSON. */
export type Sent = { text: string } | { ending: Ending } | undefined

export type RestDeviation = {
  /** As they are registered, such as `GET /pools/:key`; every route, if left out. */
  routes?: (choices: Choices) => readonly string[]
  /** Always, if left out. Of a `reply`: evaluated once there is a response. */
  when?: Condition
  /** The responses that `reply` is about, by status; successful ones, if left out. */
  of?: readonly number[]
  /** Changes the request before the route sees it. */
  ask?: (asked: Asked) => void
  /** What the route requires of the credential. */
  needs?: Partial<AccessNeeds>
  /** Changes the parsed body of the request. */
  read?: (body: Record<string, unknown>, choices: Choices) => void
  reply?: (answer: Answer) => Sent
}

/** One socket of the gateway. */
export type DeviatingSocket = {
  /** From 1, in the order of opening. */
  readonly number: number
  readonly openedAtMs: number
  /** The Authorization header of its handshake. */
  readonly authorization: string | undefined
  readonly clock: Clock
  readonly choices: Choices
  /** Of the ticket; null until authenticated. */
  address: string | null
  /** Rooms that were joined. */
  readonly rooms: Set<string>
  /** Frames received so far, by action; the one at hand included. */
  readonly received: Map<string, number>
  /** Messages sent so far, by type or control; the one at hand included. */
  readonly sent: Map<string, number>
}

/** What the sockets of a gateway share. */
export type Hub = {
  /** The events of the recent past, once for each socket that they went to; the newest last. */
  readonly history: Message[]
  /** All that were ever opened. */
  readonly sockets: DeviatingSocket[]
  /** Whether a close with 1012 has gone out. */
  restarted: boolean
  /** For whatever a deviation has to remember. */
  readonly memory: Map<string, number>
}

export type Frame = { action: string; room?: string; token?: string; bytes: number }

/** A message to the client: an event or a control. */
export type Message = Record<string, unknown> & { type?: string; control?: string }

/** What becomes of a frame; undefined: it is acted on as usual. */
export type FrameAction =
  | 'drop'
  | 'cut'
  | { close: Close }
  | { answer: readonly Message[] }
  | { replaceWith: Record<string, unknown> }
  /** Into the room, past all checks. */
  | { joins: string }
  | { afterMs: number }
  | undefined

/** What goes out instead of a message, or how much later it does; undefined: it goes out. */
export type MessageAction = readonly Message[] | { afterMs: number } | undefined

export type SocketDeviation = {
  /** A frame that is acted on as the socket opens, as if the client had sent it. */
  first?: Record<string, unknown>
  frame?: (frame: Frame) => FrameAction
  message?: (message: Message) => MessageAction
  /** What the socket is closed with; null: not at all. */
  close?: (close: Close) => Close | 'cut' | null
  /** The rooms that are joined instead of this one. */
  join?: (room: string) => readonly string[]
  /** How long after its subscription a room is joined. */
  joinMs?: (room: string) => number
  /** What is sent as a room is joined. */
  joined?: (room: string) => readonly Message[]
  /** Whether the room is left. */
  leaves?: (room: string) => boolean
  /** What a text in an authenticate frame is taken for. */
  ticket?: (ticket: RedeemedTicket | undefined, token: string) => RedeemedTicket | undefined
  /** How long a timer of the connection takes: the authentication deadline, then the expiry of its ticket. */
  timerMs?: (ms: number) => number
}

/** The sign-in state as a deviation has it. */
export function deviateAuth(auth: Auth, deviation: Deviation | undefined, tools: AuthTools): Auth {
  return { ...auth, ...deviation?.auth?.(auth, tools) }
}
