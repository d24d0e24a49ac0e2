import type { TimelineLine } from '../../contract/timeline.ts'

/** Where a line stands from left (0) to right (1), and what is written below. */
export type Scale = {
  at(line: TimelineLine): number
  ticks: readonly { at: number; text: string }[]
  /** What the width stands for. */
  name: string
}

const TICKS = 6
/** Ticks nearer than this would be written over each other. */
const TICK_GAP = 0.09

/** So many different ones spread over the width, however much happens in each. */
const MOMENTS_ENOUGH = 200

/** By time where time goes on by itself; by order where it stands still for most of what happens. */
export function scaleOf(lines: readonly TimelineLine[]): Scale {
  const times = lines.map(({ atMs }) => atMs)
  const first = least(times)
  const span = -least(times.map((ms) => -ms)) - first
  const moments = new Set(times).size
  return moments > MOMENTS_ENOUGH || moments * 3 > lines.length ? byTime({ first, span }) : byOrder(lines)
}

function byTime({ first, span }: { first: number; span: number }): Scale {
  return {
    at: ({ atMs }) => (atMs - first) / Math.max(1, span),
    ticks: Array.from({ length: TICKS }, (_, index) => {
      const at = index / (TICKS - 1)
      return { at, text: secondsText(first + at * span) }
    }),
    name: 'time',
  }
}

function byOrder(lines: readonly TimelineLine[]): Scale {
  const at = (index: number) => index / Math.max(1, lines.length - 1)
  const placeOf = new Map(lines.map(({ number }, index) => [number, at(index)]))
  const ticks: { at: number; text: string }[] = []
  for (const [index, { atMs }] of lines.entries()) {
    const last = ticks.at(-1)
    const text = secondsText(atMs)
    if (last === undefined || (last.text !== text && at(index) - last.at >= TICK_GAP))
      ticks.push({ at: at(index), text })
  }
  return {
    at: ({ number }) => placeOf.get(number) ?? 0,
    ticks,
    name: 'order of the timeline, where those who act at once stand one after another',
  }
}

/** Of many: as arguments of one call they would not fit. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
}

/** `12.345 s` */
export function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`
}
