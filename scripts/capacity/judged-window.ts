/** Unix seconds: from, and up to but not including. */
export type JudgedWindow = { from: number; to: number }

/**
 * The judged part of a trial in whole seconds of the clock, so that none is judged in part: as many as planned, from within the
 * last second of its warm-up; without one, the seconds that lie in it whole.
 */
export function judgedWindow(options: {
  /** When the load began, of the last generator to begin. */
  startMs: number
  warmUpSeconds: number
  seconds: number
  /** Of the same load, which the part comes after. */
  secondsBefore?: number
}): JudgedWindow {
  const { startMs, warmUpSeconds, seconds, secondsBefore = 0 } = options
  const begins = startMs / 1000 + secondsBefore + warmUpSeconds
  const from = warmUpSeconds >= 1 ? Math.floor(begins) : Math.ceil(begins)
  return { from, to: Math.min(from + Math.floor(seconds), Math.floor(begins + seconds)) }
}

/** What is left of it where the load was broken off; null: nothing. */
export function cutWindow(window: JudgedWindow, endedMs: number): JudgedWindow | null {
  const to = Math.min(window.to, Math.floor(endedMs / 1000))
  return to > window.from ? { from: window.from, to } : null
}
