import path from 'node:path'
import type { SeriesPoint } from '../../contract/series.ts'
import { readLines } from '../read-lines.ts'
import { readHeader, readPoint } from './read-line.ts'
import { seriesOfRun } from './series-of-run.ts'
import type { SeriesInput } from './series-source.ts'
import { watchClock } from './watch-clock.ts'

export type PointsRead = {
  /** True where every line was read, up to an end line. */
  complete: boolean
  /** True where a line was no line of a series: nothing after it was read. */
  damaged: boolean
  /** What is wrong with the file, in sentences. */
  notes: string[]
}

type Wanted = {
  isNeeded: (metric: string) => boolean
  /** `jumpedSeconds`: by how much the clock has jumped on in the file so far. */
  onPoint: (point: SeriesPoint, jumpedSeconds: number) => void
}

/**
 * Reads the points of the metrics that are needed from a run's series.ndjson: up to its end, or up to the first damaged line;
 * then those of a trial that did not come to its end, from the files beside it.
 */
export async function readPoints(file: string, wanted: Wanted): Promise<PointsRead> {
  const [own, ...left] = await seriesOfRun(path.dirname(file), path.basename(file))
  const read = await readOwn(own, wanted)
  if (left.length === 0) return read
  const trials = [...(own.withoutTrials ?? [])].join(', ')
  const damages: string[] = []
  for (const input of left) {
    const { damage } = await readFile(input, wanted)
    if (damage !== undefined) damages.push(damage)
  }
  return {
    complete: false,
    damaged: read.damaged,
    notes: [
      ...read.notes,
      `Trial ${trials} did not come to its end: what it measured was read from the folder trials.`,
      ...damages,
    ],
  }
}

async function readOwn(own: SeriesInput, wanted: Wanted): Promise<PointsRead> {
  const { name } = own
  const { found, linesRead, ended, damage, clockNotes } = await readFile(own, wanted)
  const notes = [
    !found && `${name} is missing: nothing is known about latency.`,
    found && linesRead === 0 && `${name} is empty: nothing is known about latency.`,
    damage,
    !ended && linesRead > 0 && UNFINISHED,
    ...clockNotes,
  ].filter((note) => typeof note === 'string')
  return { complete: ended, damaged: damage !== undefined, notes }
}

const UNFINISHED =
  'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.'

async function readFile({ file, name, withoutTrials }: SeriesInput, { isNeeded, onPoint }: Wanted) {
  const clock = watchClock(name)
  let linesRead = 0
  let ended = false
  let damage: string | undefined
  const found = await readLines(file, (line) => {
    const read = linesRead === 0 ? readHeader(line, name) : readPoint(line, name, isNeeded)
    linesRead += 1
    switch (read.kind) {
      case 'header':
        return undefined
      case 'unneeded':
        clock.see(read.time)
        return undefined
      case 'point':
        clock.see(read.point.time)
        if (!withoutTrials?.has(read.point.tags.trial ?? '')) onPoint(read.point, clock.jumpedSeconds())
        return undefined
      case 'end':
        ended = true
        return 'stop'
      case 'damage':
        damage = read.damage
        return 'stop'
    }
  })
  return { found, linesRead, ended, damage, clockNotes: clock.notes() }
}
