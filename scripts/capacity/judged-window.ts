/** Unix seconds: from, and up to but not including. */
export type JudgedWindow = { from: number; to: number }

/**
 * The judged part of a trial: as many whole seconds as planned, so that no second is judged in part. They begin within the last
 * second of the warm-up, and end as the load does or before.
 */
export function judgedWindow(options: {
  /** When the load began, of the last generator to begin. */
  startMs: number
  warmUpSeconds: number
  seconds: number
}): JudgedWindow {
  const from = Math.floor(options.startMs / 1000 + options.warmUpSeconds)
  return { from, to: from + Math.floor(options.seconds) }
}

/** What is left of it where the load was broken off; null: nothing. */
export function cutWindow(window: JudgedWindow, endedMs: number): JudgedWindow | null {
  const to = Math.min(window.to, Math.floor(endedMs / 1000))
  return to > window.from ? { from: window.from, to } : null
}
