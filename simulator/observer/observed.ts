/** Reports from the exchange and the gateway to the observer. In process only; what is journaled has no secrets. */
import type { Loss } from '../activity-journal.ts'
import type { Client } from './client.ts'

/** A request as it arrived and, when it has a response, its outcome. Times are of the virtual clock. */
export type ObservedRequest = Readonly<RequestArrival> &
  Readonly<RequestOutcome> & {
    readonly client: Client
    /** When the client read the same path before; null if it did not, or if this is not a GET. */
    readonly readBeforeMs: number | null
  }

/** Every property is written out: copying about 30 of them by `Object.assign` or a spread takes longer than all rules. */
export function observed(
  arrival: Omit<ObservedRequest, keyof RequestOutcome>,
  outcome: RequestOutcome,
): ObservedRequest {
  return {
    client: arrival.client,
    readBeforeMs: arrival.readBeforeMs,
    method: arrival.method,
    route: arrival.route,
    url: arrival.url,
    arrivedMs: arrival.arrivedMs,
    remoteAddress: arrival.remoteAddress,
    userAgent: arrival.userAgent,
    connection: arrival.connection,
    wallet: arrival.wallet,
    credential: arrival.credential,
    credentialId: arrival.credentialId,
    hasCsrfToken: arrival.hasCsrfToken,
    isPublic: arrival.isPublic,
    respondedMs: outcome.respondedMs,
    status: outcome.status,
    code: outcome.code,
    retryAfterMs: outcome.retryAfterMs,
    entry: outcome.entry,
    servedRevision: outcome.servedRevision,
    isEmptyPage: outcome.isEmptyPage,
    isLastPage: outcome.isLastPage,
    refusedDigest: outcome.refusedDigest,
    refreshDigest: outcome.refreshDigest,
    deniedWallet: outcome.deniedWallet,
    secretInUrl: outcome.secretInUrl,
    respelledKey: outcome.respelledKey,
    uncanonical: outcome.uncanonical,
    alteredMessage: outcome.alteredMessage,
  }
}

/** A request whose response never came, or was cut off: its client knows no outcome. */
export type LostRequest = Readonly<RequestArrival> & {
  readonly client: Client
  readonly how: Loss
  readonly lostMs: number
  readonly entry: number
  /** The kind of a known secret in the URL; null without one. */
  readonly secretInUrl: string | null
}

/** An upgrade that opened no socket; its client is a stranger. */
export type RejectedUpgrade = {
  readonly client: Client
  readonly remoteAddress: string
  readonly userAgent: string
  readonly arrivedMs: number
  /** When the client learned of it: the response, or the end of the connection. */
  readonly endedMs: number
  /** null without a response. */
  readonly status: number | null
  readonly retryAfterMs: number | null
  readonly entry: number
}

export type RequestArrival = {
  method: string
  /** As registered, such as `/pools/:key`; null if no route matches. */
  route: string | null
  url: string
  arrivedMs: number
  remoteAddress: string
  userAgent: string
  /**
   * The port of its connection: on one connection, a request is sent after the client has read the response to the
   * previous one. null if that is not so, as over HTTP/2.
   */
  connection: number | null
  /** The wallet of a valid credential, as the exchange writes it. */
  wallet: string | null
  /** `invalid`: unknown, or no longer valid. */
  credential: 'none' | 'invalid' | 'session' | 'api-token'
  credentialId: string | null
  hasCsrfToken: boolean
  /** The route needs no credential, or no route matches. */
  isPublic: boolean
}

export type RequestOutcome = {
  respondedMs: number
  status: number
  /** The exchange’s own error code, whether the body shows it or not; null without an error. */
  code: string | null
  /** Wait that the response requires; null without one. */
  retryAfterMs: number | null
  entry: number
  /** The revision of the configuration that the response shows; null for other responses. */
  servedRevision: number | null
  /** True for a page of a list without rows. */
  isEmptyPage: boolean
  /** True for the page of a list with its last row. */
  isLastPage: boolean
  /** Digest of a credential rejected as invalid; null otherwise. */
  refusedDigest: string | null
  /** Digest of the refresh token of a refresh: a race is among those with the same one; null otherwise. */
  refreshDigest: string | null
  /** The wallet of a sign-in rejected because it has no access; null otherwise. */
  deniedWallet: string | null
  /** The kind of a known secret in the URL; null without one. */
  secretInUrl: string | null
  /** The pool key that the path has in another spelling; null if the pool exists, or if none is similar. */
  respelledKey: string | null
  /** Non-canonical numbers, `name=text`, of a request rejected as malformed. */
  uncanonical: readonly string[]
  /** How the signed message was altered, if that explains a rejected signature; else null. */
  alteredMessage: string | null
}

export type ObservedSocket = {
  readonly number: number
  readonly remoteAddress: string
  readonly userAgent: string
  /** When its upgrade arrived: a fault may open it later. */
  readonly arrivedMs: number
  readonly openedMs: number
  /** The kind of a known secret in its URL. */
  readonly secretInUrl: string | null
  /** A stranger until authenticated. */
  client: Client
  authenticatedMs: number | null
  /** Issue time of the last valid ticket. */
  ticketIssuedMs: number
  readonly rooms: Set<string>
  isOpen: boolean
  /** True if all sent data has left the process, and no fault mutes the socket: a client may give up one that is mute. */
  hasSentAll(): boolean
  /** When a fault last released output that it had held back: earlier messages arrive then. Minus infinity without one. */
  releasedMs(): number
  readonly entries: number[]
}

export type ObservedFrame = { entry: number } & (
  | {
      action: 'authenticate'
      /** The kind of `token`. */
      presented: 'a ticket' | 'an API token' | 'a session token' | 'unknown'
      /** Digest of `token`. */
      digest: string
      outcome: 'authenticated' | 'renewed' | 'refused' | 'another principal'
    }
  | {
      action: 'subscribe'
      room: string
      refusal: string | null
      /** The pool key that the room has in another spelling. */
      respelledKey: string | null
    }
  /** The socket is in this room already, so nothing changes. */
  | { action: 'subscribe again' }
  | { action: 'unsubscribe'; room: string }
  | { action: 'synchronize' }
  /** Not JSON, or not one of the four actions with its field. */
  | { action: 'invalid' }
  /** A valid frame, but as a binary message. The specification does not say which kind frames have. */
  | { action: 'binary' }
  /** Above the frame limit and ignored. */
  | { action: 'limited' }
  | { action: 'too large' }
)

/** A sent message that requires an action of the client. */
export type ObservedMessage = { entry: number } & (
  | { control: string; isInjected: boolean }
  | { revision: number }
)

export type ObservedClose = {
  entry: number
  code: number
  /** The exchange, if it sent the close frame first or cut the connection. */
  by: 'exchange' | 'client'
  /** The exchange's name for the cause; null if the client closed it. */
  cause: string | null
}

/** Equal for requests that may be retries of each other: the same request, credential and program. */
export function sameRequest(request: RequestArrival): string {
  const { method, url, credentialId, remoteAddress, userAgent } = request
  return `${method} ${url} ${credentialId ?? ''} ${remoteAddress} ${userAgent}`
}

export function parsePath(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** Decoded segments; one that cannot be decoded stays as sent. */
export function parseSegments(path: string): string[] {
  return path.split('/').map(decoded)
}

/** Decoded names and values of the query, with `+` for a space as in forms. */
export function parseQuery(url: string): [name: string, value: string][] {
  const at = url.indexOf('?')
  return at === -1 ? [] : [...new URLSearchParams(url.slice(at + 1))]
}

/** A name may be percent-encoded. */
const MAY_HAVE_MINIMUM = /minimum_revision|%/

/** −1 without one. */
export function parseMinimumRevision(url: string): number {
  // Most reads have none, and parsing their query costs more than the rules.
  if (!MAY_HAVE_MINIMUM.test(url)) return -1
  const value = parseQuery(url).find(([name]) => name === 'minimum_revision')?.[1]
  return value !== undefined && /^[0-9]+$/.test(value) ? Number(value) : -1
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
