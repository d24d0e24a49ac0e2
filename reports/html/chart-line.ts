import { type Span, secondsCovered, type Windows } from '../series/windows.ts'

/** A line of a chart; null where nothing supports a value. */
export type ChartLine = { label: string; values: (number | null)[] }

/** Seconds since the first that holds anything; the first window may have begun before. */
export function startOf(index: number, windowSeconds: number, { firstSecond }: Span): number {
  return Math.max(0, index * windowSeconds - firstSecond)
}

/** How often something happened, a second; null where nothing was measured. */
export function rateLine<Content>(options: {
  label: string
  countOf: (window: Content) => number
  windows: Windows<Content>
  indexes: readonly number[]
  span: Span
}): ChartLine {
  const { label, countOf, windows, indexes, span } = options
  const values = indexes.map((index) => {
    const window = windows.byIndex.get(index)
    if (window === undefined) return null
    const rate = countOf(window) / secondsCovered(windows.seconds, index, span)
    return Number(rate.toPrecision(4))
  })
  return { label, values }
}
