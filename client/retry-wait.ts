import type { StoppableWaits, Tools } from './time-and-chance.ts'

/**
 * The wait before the next attempt: a `Retry-After` in full plus jitter, so that clients with the same value do not
 * return at once; otherwise backoff alone.
 */
export function retryWaitMs(options: {
  serverWaitMs: number | undefined
  attempt: number
  random: () => number
  baseMs?: number
  capMs?: number
}): number {
  return (options.serverWaitMs ?? 0) + backoffMs(options)
}

/** Exponential backoff with full jitter: a random wait below a ceiling that doubles with each attempt, up to a cap. */
export function backoffMs(options: {
  attempt: number
  random: () => number
  baseMs?: number
  capMs?: number
}): number {
  const { attempt, random, baseMs = 250, capMs = 8000 } = options
  return Math.min(capMs, baseMs * 2 ** attempt) * random()
}

/**
 * The wait of a `Retry-After` header in milliseconds: whole seconds or an HTTP date (RFC 9110, section 10.2.3),
 * relative to the server's `Date` header if present, because clocks differ. Undefined if missing or invalid.
 */
export function retryAfterMs(options: {
  retryAfter: string | undefined
  date: string | undefined
  nowMs: number
}): number | undefined {
  const { retryAfter, date, nowMs } = options
  if (retryAfter === undefined) return undefined
  if (/^[0-9]+$/.test(retryAfter.trim())) return Number(retryAfter) * 1000
  // Engines parse other formats as dates too, such as numbers and ISO 8601; all three HTTP forms start with the day
  // of the week.
  const until = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(retryAfter.trim()) ? Date.parse(retryAfter) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const serverNow = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, until - (Number.isNaN(serverNow) ? nowMs : serverNow))
}

/** True for errors that may be transient. Status 0 means no response. */
export function isTransient(status: number): boolean {
  return status === 429 || status === 0 || status >= 500
}

/** A request that got 429 was not carried out; after a 5xx or without a response (status 0) it may have been. */
export function mayRetry(status: number, request: { method: string; repeatable?: boolean }): boolean {
  return status === 429 || (isTransient(status) && isRepeatable(request))
}

/** True for idempotent requests. */
export function isRepeatable({ method, repeatable }: { method: string; repeatable?: boolean }): boolean {
  return method === 'GET' || repeatable === true
}

/** Sends until `waitAfter` returns no wait for a result, and returns that. With a gate, each attempt first passes it. */
export async function attemptUntilFinal<Result>(
  send: () => Promise<Result>,
  options: {
    waitAfter: (result: Result, attempt: number) => number | undefined
    pause: Tools['pause']
    gate?: RateGate | undefined
  },
): Promise<Result> {
  const { waitAfter, pause, gate } = options
  for (let attempt = 0; ; attempt++) {
    if (gate?.isShut()) await gate.pass(pause)
    const result = await send()
    const waitMs = waitAfter(result, attempt)
    if (waitMs === undefined) return result
    await pause(waitMs)
  }
}

/** A client waits here after a 429: the limit is the client's, so its other requests wait too. */
export type RateGate = {
  isShut(): boolean
  /** A shorter wait never shortens a longer one. */
  shut(ms: number): void
  /** Waits with `pause` until it is open. Throws if that takes longer than 40 s. */
  pass(pause: Tools['pause']): Promise<void>
}

const PASS_MS_MAX = 40_000
/** Spreads the waiting requests. */
const SPREAD_MS = 250

/** Shared by all requests of a client under one limit. `refuse` creates the error for a wait that is too long. */
export function createRateGate(
  { nowMs, random }: Pick<Tools, 'nowMs' | 'random'>,
  refuse = (message: string): Error => new Error(message),
): RateGate {
  let untilMs = 0
  return {
    isShut: () => nowMs() < untilMs,
    shut(ms) {
      untilMs = Math.max(untilMs, nowMs() + ms)
    },
    async pass(pause) {
      for (let leftMs = untilMs - nowMs(); leftMs > 0; leftMs = untilMs - nowMs()) {
        if (leftMs > PASS_MS_MAX) throw refuse(`rate limited for another ${Math.ceil(leftMs / 1000)} s`)
        await pause(leftMs + SPREAD_MS * random())
      }
    },
  }
}

/** Maps an error to the wait that it requires, or to 'stop' if a retry cannot help. Rethrows other errors. */
export type AfterError = (error: unknown) => number | 'stop'

const INSIST_BASE_MS = 1000
/** With the time of a request, less than the 30 s in which a client must react to an event. */
const INSIST_CAP_MS = 15_000

/**
 * Repeats work that must finish, such as a refetch after events, with increasing waits, until it succeeds, a retry
 * cannot help, or the waits are stopped.
 */
export async function retry(
  work: () => Promise<void> | void,
  { waits, random, afterError }: { waits: StoppableWaits; random: () => number; afterError: AfterError },
): Promise<void> {
  for (let attempt = 0; !waits.isStopped(); attempt++) {
    try {
      return await work()
    } catch (error) {
      const serverWaitMs = afterError(error)
      if (serverWaitMs === 'stop') return
      await waits.wait(
        retryWaitMs({ serverWaitMs, attempt, random, baseMs: INSIST_BASE_MS, capMs: INSIST_CAP_MS }),
      )
    }
  }
}
