import type { WhyUnmeasured } from '../../../contract/series.ts'
import type { Ahead } from './server-clock.ts'

/** How long an event took, in ms: at the least and at the most. */
export type DelaySpan = { leastMs: number; mostMs: number }

/** Undefined for a frame that is no event; a reason where the delay of an event cannot be told. */
export function delaySpan(options: {
  text: string
  /** When it came, by this machine’s clock. */
  atMs: number
  /** Null: the profile does not tell where an event bears its time. */
  timeOf: ((text: string) => number | undefined) | null
  ahead: Ahead | undefined
}): DelaySpan | WhyUnmeasured | undefined {
  const { text, atMs, timeOf, ahead } = options
  const timeMs = timeOf?.(text)
  if (timeMs === undefined) {
    if (!text.includes('"type"')) return undefined
    return timeOf === null ? 'untold' : 'no-time'
  }
  if (ahead === undefined) return 'no-clock'
  const mostMs = atMs + ahead.mostMs - timeMs
  // Nothing is heard before it has come to be: the event bears a time of another clock.
  if (mostMs < 0) return 'ahead'
  return { leastMs: Math.max(0, atMs + ahead.leastMs - timeMs), mostMs }
}
