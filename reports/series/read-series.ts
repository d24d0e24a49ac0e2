import path from 'node:path'
import { RUN_FILES } from '../../contract/run.ts'
import { type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import type { Slo } from '../../contract/slo.ts'
import { cannotRead, isMissing, namesInRunFolder } from '../run-file.ts'
import { type Line, lineBatches, readLines } from '../run-lines.ts'
import { COURSE_METRICS, type Course, createCourse, foldCourse } from './course.ts'
import { createFoldedSeries, type FoldedSeries, foldPoint, METRICS_READ } from './fold-series.ts'
import { readPoint, type Slice } from './point.ts'
import { createSeriesLines, type SeriesInput, type SeriesLines } from './series-source.ts'

export type SeriesRead = PointsRead & {
  series: FoldedSeries
  slices: readonly FoldedSeries[]
  course: Course
}

export type SeriesOptions = { slo?: Slo | null; slices?: readonly Slice[] }

/** Folds series.ndjson as a whole and for each slice, for the same objectives. Stops at the first damaged line. */
export async function readSeries(file: string, options: SeriesOptions = {}): Promise<SeriesRead> {
  const { folded, wanted } = createFolds(options)
  return { ...folded, ...(await readPoints(file, wanted)) }
}

/** Folds for the whole series, for each slice, and for charts over time, and what fills them. */
export function createFolds({ slo = null, slices: bounds = [] }: SeriesOptions): {
  folded: Pick<SeriesRead, 'series' | 'slices' | 'course'>
  wanted: Wanted
} {
  const series = createFoldedSeries({ slo })
  const slices = bounds.map((slice) => createFoldedSeries({ slo, slice }))
  const course = createCourse()
  const wanted: Wanted = {
    isNeeded: (metric) => METRICS_READ.has(metric) || COURSE_METRICS.has(metric),
    onPoint(point) {
      foldCourse(course, point)
      for (const each of [series, ...slices]) foldPoint(each, point)
    },
  }
  return { folded: { series, slices, course }, wanted }
}

type PointsRead = {
  complete: boolean
  /** True if a line was damaged: nothing after it was read. */
  damaged: boolean
  notes: string[]
}

type Wanted = {
  isNeeded: (metric: string) => boolean
  /** `jumpedSeconds`: the sum of clock jumps so far. */
  onPoint: (point: SeriesPoint, jumpedSeconds: number) => void
}

/**
 * Reads the points of the needed metrics from series.ndjson, up to the first damaged line, then those of an
 * unfinished trial from the files next to it.
 */
export async function readPoints(file: string, wanted: Wanted): Promise<PointsRead> {
  const [own, ...left] = await findRunSeries(path.dirname(file), path.basename(file))
  const read = await readOwn(own, wanted)
  if (left.length === 0) return read
  const trials = [...(own.withoutTrials ?? [])].join(', ')
  const damages: string[] = []
  for (const input of left) {
    const damage = (await readFile(input, wanted)).lines.damage()
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
  const { found, lines } = await readFile(own, wanted)
  const damage = lines.damage()
  const notes = [
    !found && `${name} is missing: nothing is known about latency.`,
    found && lines.isEmpty() && `${name} is empty: nothing is known about latency.`,
    damage,
    lines.skipped(),
    !lines.ended() && !lines.isEmpty() && UNFINISHED,
    ...lines.clock.notes(),
  ].filter((note) => typeof note === 'string')
  return { complete: lines.isComplete(), damaged: damage !== undefined, notes }
}

const UNFINISHED =
  'The load generator was stopped before it finished its series, or its disk was full: figures cover a part.'

async function readFile(input: SeriesInput, wanted: Wanted) {
  const lines = createSeriesLines(input, wanted.isNeeded)
  const found = await readLines(input.file, (line) => {
    passPoint(lines, line, wanted)
    return lines.isOver() ? 'stop' : undefined
  })
  return { found, lines }
}

/** Passes on the point in the next line of a series, if it has one that is needed. */
export function passPoint(lines: SeriesLines, line: Line, { isNeeded, onPoint }: Wanted): void {
  const point = lines.pointIn(line)
  if (point === undefined) return
  const jumpedSeconds = lines.clock.jumpedSeconds()
  if (isNeeded(point.metric)) onPoint(point, jumpedSeconds)
  const latency = lines.latencyIn(point)
  if (latency !== undefined && isNeeded(SINCE_DUE)) onPoint(latency, jumpedSeconds)
}

/**
 * The points of metrics whose name starts with `metricStart`. Skips damaged lines; a missing file has no points.
 * Throws a BreakwaterError (usage) if the file cannot be read.
 */
export async function* findPoints(
  file: string,
  metricStart: string,
): AsyncGenerator<SeriesPoint, void, undefined> {
  const isNeeded = (metric: string) => metric.startsWith(metricStart)
  try {
    for await (const lines of lineBatches(file)) {
      for (const line of lines) {
        const read = readPoint(line, file, isNeeded)
        if (read.kind === 'point' && isNeeded(read.point.metric)) yield read.point
      }
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Series of a trial until it ends: `trials/<n>/series-<k>.ndjson`, one per k6 process. */
const TRIALS_DIR = 'trials'

/**
 * The files with the measurements of a run: series.ndjson and, if the run was killed or its disk was full during a
 * trial, the files of that trial. Points of that trial that are already in series.ndjson must not count twice. Throws
 * a BreakwaterError (usage) if a folder of trials is a link.
 */
export async function findRunSeries(
  dir: string,
  series: string = RUN_FILES.series,
): Promise<[SeriesInput, ...SeriesInput[]]> {
  const trials = (await namesIn(path.join(dir, TRIALS_DIR))).filter((name) => /^[0-9]+$/.test(name))
  const left: SeriesInput[] = []
  const withoutTrials = new Set<string>()
  for (const trial of trials.sort((a, b) => Number(a) - Number(b))) {
    for (const file of (await namesIn(path.join(dir, TRIALS_DIR, trial))).filter(isSeries).sort()) {
      const name = [TRIALS_DIR, trial, file].join('/')
      left.push({ file: path.join(dir, name), name })
      withoutTrials.add(trial)
    }
  }
  return [{ file: path.join(dir, series), name: series, withoutTrials }, ...left]
}

function isSeries(name: string): boolean {
  return /^series-[0-9]+\.ndjson$/.test(name)
}

function namesIn(dir: string): Promise<string[]> {
  return namesInRunFolder(dir).catch((cause) => {
    throw cannotRead(dir, cause)
  })
}
