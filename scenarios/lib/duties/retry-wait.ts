import { CannotJudge } from '../verdict/cannot.ts'
import type { Tools } from './time-and-chance.ts'

/**
 * How long to wait before the next try. What the server asks for (`Retry-After`) is waited for in full, and a little longer,
 * so that those who were told the same do not come back at once; where it asks for nothing, backoff alone.
 */
export function retryWaitMs(options: {
  toldMs: number | undefined
  attempt: number
  random: () => number
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
  /** Waits until it is open. Throws CannotJudge where that takes longer than anybody waits. */
  pass(): Promise<void>
}

const PASS_MS_MAX = 40_000
/** Those that waited do not pass all at once. */
const SPREAD_MS = 250

/** An open gate, for all requests of a client that share one limit. */
export function createRateGate({
  nowMs,
  random,
  pause,
}: Pick<Tools, 'nowMs' | 'random' | 'pause'>): RateGate {
  let untilMs = 0
  return {
    isShut: () => nowMs() < untilMs,
    shut(ms) {
      untilMs = Math.max(untilMs, nowMs() + ms)
    },
    async pass() {
      for (let leftMs = untilMs - nowMs(); leftMs > 0; leftMs = untilMs - nowMs()) {
        if (leftMs > PASS_MS_MAX)
          throw new CannotJudge(`told to send nothing for ${Math.ceil(leftMs / 1000)} s more`)
        await pause(leftMs + SPREAD_MS * random())
      }
    },
  }
}
