import type { Answer } from './send.ts'

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
