import type { StoppableWaits, Tools } from './time-and-chance.ts'

/**
 * How long to wait before the next try. What the server asks for (`Retry-After`) is waited for in full, and a little longer,
 * so that those who were told the same do not come back at once; where it asks for nothing, backoff alone.
 */
export function retryWaitMs(options: {
  toldMs: number | undefined
  attempt: number
  random: () => number
  baseMs?: number
  capMs?: number
}): number {
  return (options.toldMs ?? 0) + backoffMs(options)
}

/** Exponential backoff with full jitter: a random wait below a ceiling that doubles with each attempt, up to a cap. */
export function backoffMs(options: {
  /** From 0. */
  attempt: number
  random: () => number
  baseMs?: number
  capMs?: number
}): number {
  const { attempt, random, baseMs = 250, capMs = 8000 } = options
  return Math.min(capMs, baseMs * 2 ** attempt) * random()
}

/**
 * How long a `Retry-After` header asks a client to wait, in milliseconds: whole seconds or an HTTP date (RFC 9110, section
 * 10.2.3), the date measured on the server's own clock (its `Date` header) where there is one: clocks differ. Undefined
 * where it is missing or neither.
 */
export function retryAfterMs(options: {
  retryAfter: string | undefined
  date: string | undefined
  nowMs: number
}): number | undefined {
  const { retryAfter, date, nowMs } = options
  if (retryAfter === undefined) return undefined
  if (/^[0-9]+$/.test(retryAfter.trim())) return Number(retryAfter) * 1000
  // Engines read much else as a date, numbers and ISO 8601 among it; each of the three forms of HTTP begins with the day of the week.
  const until = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(retryAfter.trim()) ? Date.parse(retryAfter) : Number.NaN
  if (Number.isNaN(until)) return undefined
  const serverNow = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, until - (Number.isNaN(serverNow) ? nowMs : serverNow))
}

/**
 * Where a client waits once it was told that it asks too much: the limit is the client's, not the request's, so whatever
 * else it is about to send waits too.
 */
export type RateGate = {
  isShut(): boolean
  /** For so long; a shorter wait takes nothing away from a longer one. */
  shut(ms: number): void
  /** Waits until it is open. Throws if that takes longer than 40 s. */
  pass(): Promise<void>
}

const PASS_MS_MAX = 40_000
/** Those that waited do not pass all at once. */
const SPREAD_MS = 250

/** An open gate, for all requests of a client that share one limit. `refuse` makes the error for a wait that is too long. */
export function createRateGate(
  { nowMs, random, pause }: Pick<Tools, 'nowMs' | 'random' | 'pause'>,
  refuse = (message: string): Error => new Error(message),
): RateGate {
  let untilMs = 0
  return {
    isShut: () => nowMs() < untilMs,
    shut(ms) {
      untilMs = Math.max(untilMs, nowMs() + ms)
    },
    async pass() {
      for (let leftMs = untilMs - nowMs(); leftMs > 0; leftMs = untilMs - nowMs()) {
        if (leftMs > PASS_MS_MAX) throw refuse(`told to send nothing for ${Math.ceil(leftMs / 1000)} s more`)
        await pause(leftMs + SPREAD_MS * random())
      }
    },
  }
}

/** How an error bears on work that has to be done in the end: how long it requires to wait, or that nothing helps. Throws what is neither. */
export type AfterError = (error: unknown) => number | 'stop'

const INSIST_BASE_MS = 1000
const INSIST_CAP_MS = 30_000

/**
 * Does work that has to be done in the end, such as reading again what events announced: after an error it starts again, ever more
 * rarely, until it is done, or nothing helps, or the waits are stopped.
 */
export async function insist(
  work: () => Promise<void> | void,
  { waits, random, afterError }: { waits: StoppableWaits; random: () => number; afterError: AfterError },
): Promise<void> {
  for (let attempt = 0; !waits.isStopped(); attempt++) {
    try {
      return await work()
    } catch (error) {
      const toldMs = afterError(error)
      if (toldMs === 'stop') return
      await waits.wait(retryWaitMs({ toldMs, attempt, random, baseMs: INSIST_BASE_MS, capMs: INSIST_CAP_MS }))
    }
  }
}
