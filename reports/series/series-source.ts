import { RESPONSE_TIME, type SeriesPoint, SINCE_DUE } from '../../contract/series.ts'
import { isMissing } from '../run-file.ts'
import { type Line, lineBatches } from '../run-lines.ts'
import { METRICS_READ } from './fold-series.ts'
import { createLineParser } from './parse-line.ts'
import { readHeader, readPoint } from './point.ts'

export type SeriesInput = {
  file: string
  name: string
  /** Values of the tag `trial` whose points are skipped. */
  withoutTrials?: ReadonlySet<string>
}

/** The lines of one series file, up to its end line or its first damaged line. */
export type SeriesLines = {
  /** The point in the next line; undefined if the line has none that is needed. */
  pointIn(line: Line): SeriesPoint | undefined
  /** The latency for a response time of an old file, which has no latencies. */
  latencyIn(point: SeriesPoint): SeriesPoint | undefined
  /** True after the end line or damage: later lines are not read. */
  isOver(): boolean
  isEmpty(): boolean
  ended(): boolean
  /** False also if a line of a metric that reports read was skipped. */
  isComplete(): boolean
  /** A sentence if a line was damaged. */
  damage(): string | undefined
  /** A sentence if a line was skipped. */
  skipped(): string | undefined
  clock: ClockWatch
}

/** Before the header. Metrics that are not needed are skipped without parsing their lines. */
export function createSeriesLines(
  { name, withoutTrials }: SeriesInput,
  isNeeded?: (metric: string) => boolean,
): SeriesLines {
  const clock = watchClock(name)
  const parse = createLineParser()
  let isFirst = true
  let isOld = false
  const isNeededNow =
    isNeeded &&
    ((metric: string) => isNeeded(metric) || (isOld && metric === RESPONSE_TIME && isNeeded(SINCE_DUE)))
  let ended = false
  let isWhole = true
  let damage: string | undefined
  let skipped: string | undefined
  return {
    pointIn(line) {
      const read = isFirst ? readHeader(line, name) : readPoint(line, name, isNeededNow, parse)
      isFirst = false
      if (read.kind === 'header') isOld = read.isOld
      if (read.kind === 'end') ended = true
      if (read.kind === 'damage') damage = read.damage
      if (read.kind === 'unneeded' || read.kind === 'beyond') clock.see(read.time)
      if (read.kind === 'beyond') {
        skipped ??= read.note
        isWhole &&= !METRICS_READ.has(read.metric)
      }
      if (read.kind !== 'point') return undefined
      clock.see(read.point.time)
      return withoutTrials?.has(read.point.tags.trial ?? '') ? undefined : read.point
    },
    latencyIn: (point) =>
      isOld && point.metric === RESPONSE_TIME ? { ...point, metric: SINCE_DUE } : undefined,
    isOver: () => ended || damage !== undefined,
    isEmpty: () => isFirst,
    ended: () => ended,
    isComplete: () => ended && isWhole,
    damage: () => damage,
    skipped: () => skipped,
    clock,
  }
}

/** Reads a series file point by point up to the first damaged line. */
export type SeriesSource = {
  /** The next point; undefined before the first `load` and at the end of the file. */
  head(): SeriesPoint | undefined
  /** Moves to the next point in memory; returns false if `load` has to read more. */
  advance(): boolean
  /** Throws a BreakwaterError (usage) if the file cannot be read; a missing file has no points. */
  load(): Promise<void>
  /** Valid at the end: whether the file is complete, and notes on its faults. */
  complete(): boolean
  notes(): string[]
  close(): Promise<void>
}

export function openSource(input: SeriesInput): SeriesSource {
  const { file, name } = input
  const lines = createSeriesLines(input)
  const batches = lineBatches(file)
  let points: Iterator<SeriesPoint, undefined> = [][Symbol.iterator]()
  let head: SeriesPoint | undefined
  let found = true
  const advance = () => {
    head = points.next().value
    return head !== undefined
  }
  return {
    head: () => head,
    advance,
    async load() {
      while (!lines.isOver() && !advance()) {
        const batch = await batches.next().catch((error) => {
          if (!isMissing(error)) throw error
          found = false
        })
        if (!batch?.value) return
        points = pointsIn(batch.value, lines)
      }
    },
    complete: lines.isComplete,
    notes: () => [...listFaults(lines, { name, found }), ...listSkipped(lines), ...lines.clock.notes()],
    async close() {
      await batches.return()
    },
  }
}

function* pointsIn(batch: readonly Line[], lines: SeriesLines): Generator<SeriesPoint, undefined> {
  for (const line of batch) {
    const point = lines.pointIn(line)
    if (lines.isOver()) return
    if (point === undefined) continue
    yield point
    const latency = lines.latencyIn(point)
    if (latency !== undefined) yield latency
  }
}

function listSkipped(lines: SeriesLines): string[] {
  const note = lines.skipped()
  return note === undefined ? [] : [note]
}

function listFaults(lines: SeriesLines, { name, found }: { name: string; found: boolean }): string[] {
  const damage = lines.damage()
  if (!found) return [`${name} is missing.`]
  if (lines.isEmpty()) return [`${name} is empty.`]
  if (damage !== undefined) return [damage]
  return lines.ended() ? [] : [`${name} has no end: its k6 was stopped, or its disk was full.`]
}

type ClockWatch = {
  see(second: number): void
  /** The sum of the jumps: seconds minus this value are continuous. */
  jumpedSeconds(): number
  notes(): string[]
}

/**
 * k6 delays samples by at most the duration of a request and writes gauges every second; trials of a search are some
 * seconds apart.
 */
const BACK_SECONDS_MAX = 60
const LEAP_SECONDS_MAX = 120

/** `file` is its name in messages. Ignores small corrections, which do not distort rates. */
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
      first ??= `${by < 0 ? 'back' : 'forward'} by ${spanText(Math.abs(by))} at ${new Date((second - by) * 1000).toISOString()}`
    },
    jumpedSeconds: () => jumped,
    notes() {
      if (first === undefined) return []
      const what = jumps === 1 ? `in ${file}: ${first}` : `${jumps} times in ${file}, first ${first}`
      return [
        `The clock of the load generator jumped ${what}. Counts and latencies are correct; rates and times are not.`,
      ]
    },
  }
}

function spanText(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds >= 2 * each) ?? SECOND
  return `${Math.round(seconds / length)} ${unit}`
}

const SECOND = ['s', 1] as const
/** Longest first; used from two units on. */
const UNITS: readonly (readonly [string, number])[] = [['days', 86_400], ['h', 3600], ['min', 60], SECOND]
