import type { SeriesPoint } from '../../contract/series.ts'
import { readLines } from '../read-lines.ts'
import { readHeader, readPoint } from './read-line.ts'
import { watchClock } from './watch-clock.ts'

export type PointsRead = {
  /** True where every line was read, up to an end line. */
  complete: boolean
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

const NAME = 'series.ndjson'

/** Reads the points of the metrics that are needed from series.ndjson: up to its end, or up to the first damaged line. */
export async function readPoints(
  file: string,
  { isNeeded, onPoint }: { isNeeded: (metric: string) => boolean; onPoint: (point: SeriesPoint) => void },
): Promise<PointsRead> {
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
        onPoint(read.point)
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
  return { complete: ended, notes }
}

const UNFINISHED =
  'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.'
