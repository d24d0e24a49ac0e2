/** Notes where the seconds of one series file go back, or leap. */
export type ClockWatch = { see(second: number): void; notes(): string[] }

/**
 * k6 hands samples over late by no more than a request takes, and writes gauges every second; between two trials of a search
 * stand some seconds.
 */
const BACK_SECONDS_MAX = 60
const LEAP_SECONDS_MAX = 120

/** `file` is its name in messages. A clock that is put right by a moment shows nowhere: the line is for jumps that spoil rates. */
export function watchClock(file: string): ClockWatch {
  let before: number | undefined
  let jumps = 0
  let first: string | undefined
  return {
    see(second) {
      const by = before === undefined ? 0 : second - before
      before = second
      if (by >= -BACK_SECONDS_MAX && by <= LEAP_SECONDS_MAX) return
      jumps += 1
      first ??= `${by < 0 ? 'back' : 'on'} by ${spanText(Math.abs(by))} at ${new Date((second - by) * 1000).toISOString()}`
    },
    notes() {
      if (first === undefined) return []
      const more = jumps > 1 ? `, and ${jumps - 1} more times` : ''
      return [
        `The clock of the load generator jumped in ${file}: ${first}${more}. Counts and latencies hold; rates over time, and where in time things stand, do not.`,
      ]
    },
  }
}

function spanText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
