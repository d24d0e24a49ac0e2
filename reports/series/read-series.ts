import type { Slo } from '../../contract/slo.ts'
import { COURSE_METRICS, type Course, createCourse, foldCourse } from './course.ts'
import { createFoldedSeries, type FoldedSeries, foldPoint, METRICS_READ } from './fold-series.ts'
import { type PointsRead, readPoints } from './read-points.ts'
import type { Slice } from './slice.ts'

export type SeriesRead = PointsRead & {
  series: FoldedSeries
  /** Those that were asked for, in their order. */
  slices: readonly FoldedSeries[]
  /** Of the whole. */
  course: Course
}

/**
 * Folds series.ndjson as it is read: up to its end, or up to the first damaged line. The whole, and each slice, to be judged
 * by the same objectives.
 */
export async function readSeries(
  file: string,
  options: { slo?: Slo | null; slices?: readonly Slice[] } = {},
): Promise<SeriesRead> {
  const { slo = null } = options
  const series = createFoldedSeries({ slo })
  const slices = (options.slices ?? []).map((slice) => createFoldedSeries({ slo, slice }))
  const folded = [series, ...slices]
  const course = createCourse()
  const read = await readPoints(file, {
    isNeeded: (metric) => METRICS_READ.has(metric) || COURSE_METRICS.has(metric),
    onPoint(point) {
      foldCourse(course, point)
      for (const each of folded) foldPoint(each, point)
    },
  })
  return { series, slices, course, ...read }
}
