/** What the observer is told, by the exchange and by the gateway. In process alone: what is journaled holds no secrets. */
import type { Client } from './client.ts'

/** A request as it arrived, and once it is answered what came of it. Times are of the virtual clock. */
export type ObservedRequest = Readonly<Asked> &
  Readonly<Answered> & {
    readonly client: Client
    /** When the client had read the same path before; null where it has not, or this is no GET. */
    readonly readBeforeMs: number | null
  }

export type Asked = {
  method: string
  /** As it is registered, `/pools/:key`; null where there is none. */
  route: string | null
  /** As it came, query included. */
  url: string
  arrivedMs: number
  remoteAddress: string
  userAgent: string
  /** The wallet of a valid credential, as the exchange writes it. */
  wallet: string | null
  /** `invalid`: one that is not known, or no more. */
  credential: 'none' | 'invalid' | 'session' | 'api-token'
  credentialId: string | null
  hasCsrfToken: boolean
  /** The route takes no credential, or there is none such. */
  isPublic: boolean
}

export type Answered = {
  answeredMs: number
  status: number
  /** The exchange’s own name of the error, whether the body shows it or not; null where there is none. */
  code: string | null
  /** How long the answer asks to wait; null where it does not. */
  retryAfterMs: number | null
  /** The number of its journal entry. */
  entry: number
  /** Whether it is a page of a list, without a row. */
  isEmptyPage: boolean
  /** The digest of a credential that was refused as invalid; null otherwise. */
  refusedDigest: string | null
  /** What of a secret stands in the URL, in words; null: none that is known. */
  secretInUrl: string | null
  /** The pool key that the one in the path is another spelling of; null where the pool is there, or unlike any. */
  respelledKey: string | null
  /** The numbers that are not in canonical form, `name=text`, where the request was refused as malformed. */
  uncanonical: readonly string[]
  /** How the message was altered that a refused signature is over; null: nothing of the kind. */
  alteredMessage: string | null
}

/** A socket of the feed. */
export type ObservedSocket = {
  readonly number: number
  readonly remoteAddress: string
  readonly userAgent: string
  readonly openedMs: number
  /** What of a secret stands in the URL that it was opened with, in words. */
  readonly secretInUrl: string | null
  /** A stranger until it is authenticated. */
  client: Client
  authenticatedMs: number | null
  /** Of the ticket that was good last. */
  ticketIssuedMs: number
  readonly rooms: Set<string>
  isOpen: boolean
  /** Whether all that was sent has left the process. */
  hasSentAll(): boolean
  /** Journal entries of its life: opened, authenticated. */
  readonly entries: number[]
}

export type ObservedFrame = { entry: number } & (
  | {
      action: 'authenticate'
      /** What `token` is. */
      presented: 'a ticket' | 'an API token' | 'a session token' | 'unknown'
      /** Of `token`. */
      digest: string
      outcome: 'authenticated' | 'renewed' | 'refused' | 'another principal'
    }
  | {
      action: 'subscribe'
      room: string
      refusal: string | null
      /** The pool key that the room’s is another spelling of. */
      respelledKey: string | null
    }
  | { action: 'unsubscribe'; room: string }
  | { action: 'synchronize' }
  /** Binary, not JSON, or no known action. */
  | { action: 'invalid' }
  /** One too many: it was not read. */
  | { action: 'limited' }
  | { action: 'too large' }
)

/** What has gone out to a socket, of those messages that ask something of a client. */
export type ObservedMessage = { entry: number } & (
  | { control: string; isInjected: boolean }
  | { revision: number }
)

export type ObservedClose = {
  entry: number
  code: number
  /** The exchange, where it sent the close frame first or cut the connection. */
  by: 'exchange' | 'client'
  /** Why the exchange closed it: its own name for it; null where the client did. */
  cause: string | null
}

/** Equal for requests that may be retries of one another: the same, by the same credential, from the same program. */
export function sameRequest(request: ObservedRequest): string {
  const { method, url, credentialId, remoteAddress, userAgent } = request
  return `${method} ${url} ${credentialId ?? ''} ${remoteAddress} ${userAgent}`
}

/** The path of a URL as it came, without its query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** The path’s segments, decoded; one that cannot be decoded as it came. */
export function segmentsOf(path: string): string[] {
  return path.split('/').map(decoded)
}

/** Names and values of the query, decoded, with `+` for a space as forms write it. */
export function queryOf(url: string): [name: string, value: string][] {
  const at = url.indexOf('?')
  return at === -1 ? [] : [...new URLSearchParams(url.slice(at + 1))]
}

/** −1 where none is asked for. */
export function minimumRevisionOf(url: string): number {
  const value = queryOf(url).find(([name]) => name === 'minimum_revision')?.[1]
  return value !== undefined && /^[0-9]+$/.test(value) ? Number(value) : -1
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
