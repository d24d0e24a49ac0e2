import type { Slo } from '../../contract/slo.ts'
import { readLines } from '../read-lines.ts'
import { createFoldedSeries, type FoldedSeries, foldPoint, METRICS_READ } from './fold-series.ts'
import { readHeader, readPoint } from './read-line.ts'
import type { Slice } from './slice.ts'
import { watchClock } from './watch-clock.ts'

export type SeriesRead = {
  series: FoldedSeries
  /** Those that were asked for, in their order. */
  slices: readonly FoldedSeries[]
  /** True where every line was read, up to an end line. */
  complete: boolean
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

const NAME = 'series.ndjson'

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
  const clock = watchClock(NAME)
  let linesRead = 0
  let ended = false
  let damage: string | undefined
  const found = await readLines(file, (line) => {
    const read = linesRead === 0 ? readHeader(line, NAME) : readPoint(line, NAME, isNeeded)
    linesRead += 1
    switch (read.kind) {
      case 'header':
        return undefined
      case 'unneeded':
        clock.see(read.time)
        return undefined
      case 'point':
        clock.see(read.point.time)
        for (const each of folded) foldPoint(each, read.point)
        return undefined
      case 'end':
        ended = true
        return 'stop'
      case 'damage':
        damage = read.damage
        return 'stop'
    }
  })
  const notes = [
    !found && `${NAME} is missing: nothing is known about latency.`,
    found && linesRead === 0 && `${NAME} is empty: nothing is known about latency.`,
    damage,
    !ended && linesRead > 0 && UNFINISHED,
    ...clock.notes(),
  ].filter((note) => typeof note === 'string')
  return { series, slices, complete: ended, notes }
}

const UNFINISHED =
  'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.'

function isNeeded(metric: string): boolean {
  return METRICS_READ.has(metric)
}
