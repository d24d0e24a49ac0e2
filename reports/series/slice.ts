import type { SeriesPoint } from '../../contract/series.ts'

/** A part of a run's series: one trial of it, or all; and the Unix seconds from, and up to but not including. */
export type Slice = { trial: number | null; from: number | null; to: number | null }

export const WHOLE: Slice = { trial: null, from: null, to: null }

/** Whether a point is of the slice's trial; a slice without one takes them all. */
export function isOfTrial({ trial }: Slice, { tags }: SeriesPoint): boolean {
  return trial === null || tags.trial === String(trial)
}

/** Whether a Unix second lies in the slice: `from` does, `to` does not. */
export function isWithin({ from, to }: Slice, second: number): boolean {
  return (from === null || second >= from) && (to === null || second < to)
}
