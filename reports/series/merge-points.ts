import type { SeriesPoint } from '../../contract/series.ts'
import { addPoint, type PointSums } from './add-points.ts'
import type { SeriesSource } from './series-source.ts'

/**
 * The points of several files, second by second, those of the same series added up: exact, as bucket counts add up. Of each
 * file no more is held than a chunk. Where a file goes back in time, a second comes once more: its lines add up as well.
 */
export async function* mergedSeconds(options: {
  sources: readonly SeriesSource[]
  /** A tag to leave out. */
  without: string
}): AsyncGenerator<PointSums, void, undefined> {
  const { sources, without } = options
  for (;;) {
    const second = await nextSecond(sources)
    if (second === undefined) return
    const sums: PointSums = new Map()
    for (const source of sources) {
      for (let point = await next(source, second); point !== undefined; point = await next(source, second)) {
        addPoint(sums, point, without)
        source.take()
      }
    }
    yield sums
  }
}

async function nextSecond(sources: readonly SeriesSource[]): Promise<number | undefined> {
  const seconds: number[] = []
  for (const source of sources) {
    const point = await source.peek()
    if (point !== undefined) seconds.push(point.time)
  }
  return seconds.length === 0 ? undefined : Math.min(...seconds)
}

async function next(source: SeriesSource, second: number): Promise<SeriesPoint | undefined> {
  const point = await source.peek()
  return point?.time === second ? point : undefined
}
