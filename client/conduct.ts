import { LIMITS } from '../contract/limits.ts'
import type { Credential } from './credential.ts'
import type { Quote } from './exchange.ts'
import type { Ticket } from './feed-connection.ts'
import type { OpenWire } from './feed-socket.ts'
import { type RefetchReason, reconnectBackoffMs } from './keep-feed.ts'
import { retryAfterMs, retryWaitMs } from './retry-wait.ts'
import type { Answer, ExchangeError, Request } from './send.ts'
import type { Tools } from './time-and-chance.ts'

const FIRST_MS = 500
const CAP_MS = 30_000

/**
 * How long to wait before the same request again; undefined if that does not help. `answer` is undefined if no response came.
 */
export function retryDelayMs(options: {
  answer: Answer | undefined
  attempt: number
  random: () => number
  nowMs: number
}): number | undefined {
  const { answer, attempt, random, nowMs } = options
  if (answer !== undefined && answer.status !== 429 && answer.status < 500) return undefined
  const header = (name: string) => answer?.headers.get(name) ?? undefined
  const toldMs = retryAfterMs({ retryAfter: header('retry-after'), date: header('date'), nowMs })
  return retryWaitMs({ toldMs, attempt, random, baseMs: FIRST_MS, capMs: CAP_MS })
}

/**
 * All that the exchange leaves to its clients' good conduct, one piece a duty. Everything else is how this client happens to
 * be made. A wrong client is this one with one piece replaced.
 */
export const RIGHT_CONDUCT = {
  // Requests
  urlOf,
  retryDelayMs,
  attemptsMax: 8,
  replaceCredential: (credential: Credential, refusedVersion: number): Promise<void> =>
    credential.replace(refusedVersion),
  /** A wallet without access gets none by asking again. */
  stopsAt: ({ status }: ExchangeError): boolean => status === 403,
  nextOffset,
  poolPath,
  baseUnits,

  // Sessions
  messageToSign: (message: string): string => message,
  changeHeaders: (csrfToken: string | undefined): Record<string, string> =>
    csrfToken === undefined ? {} : { 'x-csrf-token': csrfToken },
  afterLostRefresh,

  // The feed
  /** Never one that was used, nor anything else in its place. */
  ticketFor: ({ fresh }: { fresh: () => Promise<Ticket>; last: Ticket | undefined; isRenewal: boolean }) =>
    fresh(),
  roomsToJoin: (wanted: readonly string[]): readonly string[] => wanted.slice(0, LIMITS.wsRoomsPerConnection),
  /** What goes over a socket, and when. */
  wire: (right: OpenWire, _tools: Tools): OpenWire => right,
  reconnectDelayMs: reconnectBackoffMs,
  /** A server that is quiet and responds has lost nothing. */
  refetchesAt: (reason: RefetchReason): boolean => reason !== 'quiet',

  // Configuration and routes
  stateQuery: (minimum: number): Record<string, string> => ({ minimum_revision: String(minimum) }),
  isStale: (quote: Quote, revision: number): boolean => quote.revision < revision,
}

export type Conduct = typeof RIGHT_CONDUCT

/** Where a pool's record is. Its key is taken exactly as it was given, and may hold any character. */
function poolPath(key: string): string {
  return `/pools/${encodeURIComponent(key)}`
}

/** Where the next page begins; undefined where this one was the last. By the rows that came, not by those asked for. */
export function nextOffset(page: { offset: number; rows: number; total: number }): number | undefined {
  const next = page.offset + page.rows
  return page.rows === 0 || next >= page.total ? undefined : next
}

/** Nothing secret goes in here: addresses end up in logs. */
function urlOf(baseUrl: string, { path, query = {} }: Request): string {
  const text = new URLSearchParams(query).toString()
  return `${baseUrl.replace(/\/$/, '')}${path}${text && `?${text}`}`
}

/**
 * What a user has typed, in base units: ASCII digits, without a sign, an exponent or a leading zero. Groups of thousands
 * may be set off by commas or spaces, as people write them; the exchange takes none of that.
 */
export function baseUnits(typed: string, decimals: number): string {
  const plain = typed.trim().replace(/(?<=\d)[, ](?=\d{3})/g, '')
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
  if (whole === undefined) throw new Error(`${JSON.stringify(typed)} is not an amount`)
  if (fraction.length > decimals) throw new Error(`${typed} has more than ${decimals} decimals`)
  return String(BigInt(whole + fraction.padEnd(decimals, '0')))
}

/**
 * After a 409, when another tab is refreshing: waits until that is done, so that the request that was refused is sent again
 * with the winner's cookies. Whoever takes it for a sign-out ends the session of all tabs. Nobody wins where the winner was
 * this tab itself, and its answer got lost.
 */
async function afterLostRefresh(options: {
  /** Whether there was a winner. */
  untilWon: () => Promise<boolean>
  signIn: () => Promise<void>
}): Promise<void> {
  if (!(await options.untilWon())) await options.signIn()
}
