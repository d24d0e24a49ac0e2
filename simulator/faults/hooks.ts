/**
 * The hooks that faults attach to. They get plain data and return an action: the exchange and the gateway know no fault
 * by name, and faults know neither Fastify nor sockets. Times are of the virtual clock.
 */

import { STATUS_CODES } from 'node:http'
import type { World } from '../world/world.ts'

export type RequestContext = {
  /** Reference in error bodies and in the journal. */
  ref: string
  method: string
  /** As registered, such as `/pools/:key`; null if no route matches. */
  route: string | null
  /** Wallet of the request; null without a valid credential. */
  address: string | null
  /** Id in the journal and the limits; null without a valid credential. */
  credentialId: string | null
  remoteAddress: string
  userAgent: string
}

/** A response that is ready to be sent; the request has been handled. */
export type ResponseContext = RequestContext & { status: number; readonly body: string }

export type RawResponse = {
  status: number
  headers?: Readonly<Record<string, string>>
  body: string
  /** Default: `application/json`. */
  contentType?: string
}

export type Rejection = {
  status: number
  code: 'rate_limited' | 'injected_fault'
  error: string
  /** For `Retry-After`, in the format of the exchange. */
  retryAfterMs?: number | undefined
  body: RejectionBody
}

export const REJECTION_BODIES = ['json', 'html', 'none'] as const
export type RejectionBody = (typeof REJECTION_BODIES)[number]

type CommonAction =
  | ({ do: 'respond' } & RawResponse)
  | ({ do: 'reject' } & Rejection)
  | { do: 'delay'; ms: number }
  /** No response; the connection stays open. */
  | { do: 'hang' }
  | { do: 'reset' }

export type RequestAction =
  | CommonAction
  /** Reports times by a clock that is this far ahead. */
  | { do: 'skew'; ms: number }
  /** Reads from these views. */
  | { do: 'read'; views: World['views'] }
  /** Reports this revision for a route. */
  | { do: 'quote'; revision: number }

export type ResponseAction =
  | CommonAction
  /** Announces the whole body, sends this many bytes, and cuts the connection. */
  | { do: 'truncate'; bytes: number }
  | { do: 'trickle'; bytesPerSecond: number }
  | { do: 'headers'; headers: Readonly<Record<string, string>> }

/** Credentials with a limited lifetime. */
export type LifetimeContext = { what: 'access-session' | 'ticket'; address: string }

/** A permission of a wallet: access, accepted terms of use, or an API token. */
export type PermissionContext = {
  what: 'access' | 'terms' | 'api-token'
  address: string
  /** When the wallet got it; null: before the world's history ended. */
  sinceMs: number | null
}

/** Hooks of an active fault; undefined leaves the default behavior. */
export type Hooks = FeedHooks & {
  /** Runs before rate limits and access checks. */
  request(context: RequestContext): RequestAction | undefined
  response(context: ResponseContext): ResponseAction | undefined
  /** Shortens the lifetime; ignored if longer than the default. */
  lifetime(context: LifetimeContext): { livesMs: number } | undefined
  permission(context: PermissionContext): 'lost' | undefined
}

export type HookName = keyof Hooks

type UpgradeContext = {
  /** Counts all upgrades from 1. */
  number: number
  userAgent: string
}

export type UpgradeAction =
  | { do: 'delay'; ms: number }
  | { do: 'respond'; status: number; error: string; code: string; headers: Readonly<Record<string, string>> }
  /** No response; the connection is cut after this time. */
  | { do: 'hang'; ms: number }
  | { do: 'reset' }

export type SocketContext = {
  id: number
  /** Gateway node of the socket, from 1. */
  node: number
  /** Wallet of its ticket, as the exchange writes it; null until authenticated. */
  address: string | null
  userAgent: string
  rooms: readonly string[]
}

export type EventContext = { room: string; type: string; block: number }

type DeliveryContext = EventContext & { socket: SocketContext }

/** `resync`: send `resync_required` to the affected sockets afterwards. */
export type EventAction =
  /** Delay of each copy, sent to the sockets in the room at that time; empty: the event is lost. */
  | { do: 'send'; afterMs: readonly number[]; resync: boolean }
  /** Sends the event after the next one of its room, or after `atMostMs`. */
  | { do: 'hold'; atMostMs: number; resync: boolean }

type ControlContext = { control: string; socket: SocketContext }

/** A valid ticket of this age that a socket authenticates with. The socket's address is that of the ticket. */
type TicketContext = { socket: SocketContext; ageMs: number }

type FeedHooks = {
  upgrade(context: UpgradeContext): UpgradeAction | undefined
  /** Once per event. */
  event(context: EventContext): EventAction | undefined
  /** Once per socket in the room. */
  delivery(context: DeliveryContext): EventAction | undefined
  /** True if the node does not know the ticket yet. */
  ticket(context: TicketContext): boolean
  /** Delay in milliseconds. */
  control(context: ControlContext): number | undefined
}

/** Open sockets, and actions on them; actions on closed sockets have no effect. */
export type FaultyFeed = {
  sockets(): readonly SocketContext[]
  close(id: number, close: { code: number; reason: string }): void
  /** Without a close frame: the peer sees 1006. */
  cut(id: number): void
  /** Suppresses all output, including pongs and close frames; frames of the client are still handled. */
  mute(id: number): void
  /** Holds back all output until the returned function is called. */
  stall(id: number): () => void
  sendControl(id: number, control: { control: string }): void
}

/** The error page of a proxy in front of an exchange. */
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
