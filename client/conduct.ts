import { LIMITS } from '../contract/limits.ts'
import type { Quote } from './exchange.ts'
import type { Ticket } from './feed-connection.ts'
import type { OpenWire } from './feed-socket.ts'
import { type RefetchReason, reconnectBackoffMs } from './keep-feed.ts'
import { mayRetry, retryAfterMs, retryWaitMs } from './retry-wait.ts'
import { type ExchangeResponse, isFinal, type Request } from './send.ts'
import type { Credential, Rejection } from './session.ts'
import type { Tools } from './time-and-chance.ts'

const FIRST_MS = 500
const CAP_MS = 15_000

/**
 * The wait before the same request may be sent again; undefined if a retry does not help, or may
 * do harm. `response` is undefined if no
 * response came.
 */
export function retryDelayMs(options: {
  request: Pick<Request, 'method' | 'repeatable'>
  response: ExchangeResponse | undefined
  attempt: number
  random: () => number
  nowMs: number
}): number | undefined {
  const { request, response, attempt, random, nowMs } = options
  if (!mayRetry(response?.status ?? 0, request)) return undefined
  const header = (name: string) => response?.headers.get(name) ?? undefined
  const serverWaitMs = retryAfterMs({ retryAfter: header('retry-after'), date: header('date'), nowMs })
  return retryWaitMs({ serverWaitMs, attempt, random, baseMs: FIRST_MS, capMs: CAP_MS })
}

/**
 * Every duty of a client, one field each; the rest of the client is implementation. Tests replace one field at a time
 * to make a wrong client.
 */
export const RIGHT_CONDUCT = {
  buildUrl,
  retryDelayMs,
  attemptsMax: 8,
  replaceCredential: (credential: Credential, rejection: Rejection): Promise<boolean> =>
    credential.replace(rejection),
  /** Retrying does not give a wallet access. */
  stopsAt: isFinal,
  nextOffset,
  poolPath,
  baseUnits,

  messageToSign: (message: string): string => message,
  changeHeaders: (csrfToken: string | undefined): Record<string, string> =>
    csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken },
  /**
   * After a 409: waits until the other tab has refreshed; false if there was no winner. A client that treats 409 as a
   * sign-out ends the session of all tabs.
   */
  afterLostRefresh: (untilWon: () => Promise<boolean>): Promise<boolean> => untilWon(),

  /** Never a used one, and no other credential. */
  ticketFor: ({ fresh }: { fresh: () => Promise<Ticket>; last: Ticket | undefined; isRenewal: boolean }) =>
    fresh(),
  roomsToJoin: (wanted: readonly string[]): readonly string[] => wanted.slice(0, LIMITS.wsRoomsPerConnection),
  wire: (right: OpenWire, _tools: Tools): OpenWire => right,
  reconnectDelayMs: reconnectBackoffMs,
  /** A quiet server that responds has lost nothing. */
  refetchesAt: (reason: RefetchReason): boolean => reason !== 'quiet',

  stateQuery: (minimum: number): Record<string, string> => ({ minimum_revision: String(minimum) }),
  isStale: (quote: Quote, revision: number): boolean => quote.revision < revision,
}

export type Conduct = typeof RIGHT_CONDUCT

/** The key is used as given: it may contain any character. */
function poolPath(key: string): string {
  return `/pools/${encodeURIComponent(key)}`
}

/** undefined after the last page. Counts the rows received, not those requested. */
export function nextOffset(page: { offset: number; rows: number; total: number }): number | undefined {
  const next = page.offset + page.rows
  return page.rows === 0 || next >= page.total ? undefined : next
}

/** No secrets: URLs end up in logs. */
function buildUrl(baseUrl: string, { path, query = {} }: Request): string {
  const text = new URLSearchParams(query).toString()
  return `${baseUrl.replace(/\/$/, '')}${path}${text && `?${text}`}`
}

/**
 * Converts user input to base units: ASCII digits without sign, exponent or leading zero. Removes group separators
 * (commas, spaces), which the exchange rejects.
 */
export function baseUnits(typed: string, decimals: number): string {
  const plain = typed.trim().replace(/(?<=\d)[, ](?=\d{3})/g, '')
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
  if (whole === undefined) throw new Error(`${JSON.stringify(typed)} is not an amount`)
  if (fraction.length > decimals) throw new Error(`${typed} has more than ${decimals} decimals`)
  return String(BigInt(whole + fraction.padEnd(decimals, '0')))
}
