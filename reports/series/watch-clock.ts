/** Notes where the seconds of one series file go back, or leap. */
export type ClockWatch = {
  see(second: number): void
  /** By how much it has jumped on, all in all: seconds less these go on evenly. */
  jumpedSeconds(): number
  notes(): string[]
}

/**
 * k6 hands samples over late by no more than a request takes, and writes gauges every second; between two trials of a search
 * stand some seconds.
 */
const BACK_SECONDS_MAX = 60
const LEAP_SECONDS_MAX = 120

/** `file` is its name in messages. A clock that is put right by a moment is not told of: only jumps that spoil rates are. */
export function watchClock(file: string): ClockWatch {
  let before: number | undefined
  let jumps = 0
  let jumped = 0
  let first: string | undefined
  return {
    see(second) {
      const by = before === undefined ? 0 : second - before
      before = second
      if (by >= -BACK_SECONDS_MAX && by <= LEAP_SECONDS_MAX) return
      jumps += 1
      jumped += by
      first ??= `${by < 0 ? 'back' : 'on'} by ${spanText(Math.abs(by))} at ${new Date((second - by) * 1000).toISOString()}`
    },
    jumpedSeconds: () => jumped,
    notes() {
      if (first === undefined) return []
      const what = jumps === 1 ? `in ${file}: ${first}` : `${jumps} times in ${file}, at first ${first}`
      return [
        `The clock of the load generator jumped ${what}. Counts and latencies hold; rates over time, and where in time things stand, do not.`,
      ]
    },
  }
}

function spanText(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds >= 2 * each) ?? SECOND
  return `${Math.round(seconds / length)} ${unit}`
}

const SECOND = ['s', 1] as const
/** From the longest on; each from two of it on. */
const UNITS: readonly (readonly [string, number])[] = [['days', 86_400], ['h', 3600], ['min', 60], SECOND]
