import type { Credential } from './credential.ts'
import type { Quote, Ticket } from './exchange.ts'
import type { Answer, ExchangeError, Request } from './send.ts'
import type { Timers } from './timers.ts'

const FIRST_MS = 500
const CAP_MS = 30_000

/**
 * How long to wait before the same request again; undefined where that does not help. `answer` is undefined where none
 * came. What Retry-After asks for is waited, and a little more: all who were told the same do not come back together.
 */
export function retryDelayMs(options: {
  answer: Answer | undefined
  attempt: number
  random: () => number
}): number | undefined {
  const { answer, random } = options
  if (answer !== undefined && answer.status !== 429 && answer.status < 500) return undefined
  const askedMs = answer && retryAfterMs(answer.headers)
  return askedMs === undefined ? backoffMs(options) : askedMs + random() * FIRST_MS
}

/** Exponential up to a cap, with full jitter: those that failed together do not come back together. */
export function backoffMs({ attempt, random }: { attempt: number; random: () => number }): number {
  return random() * Math.min(CAP_MS, FIRST_MS * 2 ** attempt)
}

/** In seconds, or as a date by the exchange's own clock, which may differ from ours; undefined where it is neither. */
export function retryAfterMs(headers: Pick<Headers, 'get'>): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  if (/^\s*[0-9]+\s*$/.test(text)) return Number(text) * 1000
  const delayMs = Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs)
}

const ASK_AFTER_MS = 15_000
const GONE_AFTER_MS = 25_000

const LIVENESS_CHECK_MS = 5000

/**
 * What to make of silence: a socket may stay open for hours and bring nothing any more. `ask`: for a sign of life, which
 * `synchronize` is answered with. `gone`: it did not come.
 */
function judgeSilence(silentMs: number): 'fine' | 'ask' | 'gone' {
  if (silentMs >= GONE_AFTER_MS) return 'gone'
  return silentMs >= ASK_AFTER_MS ? 'ask' : 'fine'
}

const ROOMS_MAX = 32

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
  feedUrl: (wsUrl: string): string => `${wsUrl.replace(/\/$/, '')}/ws`,
  /** Never one that was used, nor anything else in its place. */
  ticketFor: ({ fresh }: { fresh: () => Promise<Ticket>; last: Ticket | undefined; isRenewal: boolean }) =>
    fresh(),
  ticketTimes: { renewAfterMs: 30_000, giveUpAfterMs: 55_000 },
  greet,
  join,
  roomsToJoin: (wanted: readonly string[]): readonly string[] => wanted.slice(0, ROOMS_MAX),
  frameText: (frame: object): string => JSON.stringify(frame),
  checkEveryMs: LIVENESS_CHECK_MS,
  judgeSilence,
  takeUnknownControl: (_taken: { control: unknown; end: () => void }): unknown => undefined,
  reconnectDelayMs: backoffMs,
  refetchesAt: (_occasion: 'start' | 'reconnect' | 'resync'): boolean => true,

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

/** What a connection does once it is authenticated, after a reconnect as at first: nothing of the last one is left. */
function join(connection: {
  rooms: readonly string[]
  isReconnect: boolean
  subscribe: (room: string) => void
  /** Calls `then` at the `synchronized` that answers. */
  synchronize: (then: () => void) => void
  /** All rooms deliver: what depends on them may be loaded. */
  ready: () => void
}): void {
  for (const room of connection.rooms) connection.subscribe(room)
  connection.synchronize(connection.ready)
}

/**
 * What a connection does first. What authentication is answered with is not stated; the answer to `synchronize` says that it
 * succeeded, and only then rooms are joined.
 */
function greet(connection: {
  timers: Timers
  authenticate: () => void
  synchronize: (then: () => void) => void
  join: () => void
}): void {
  connection.authenticate()
  connection.synchronize(connection.join)
}
