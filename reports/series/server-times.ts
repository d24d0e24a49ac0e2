import { PART_NAME, type SeriesPoint } from '../../contract/series.ts'
import { BUCKETS_PER_OCTAVE } from '../statistics/histogram.ts'

/** Sums of samples in ms, and of their squares. */
export type Sums = { count: number; sumMs: number; squares: number }

/** Traced requests whose target named parts of its time: their response times, and each part. */
export type ServerTimes = { timed: Sums; parts: Map<string, Sums> }

/** A traced request; `at` in Unix seconds. */
export type SlowTrace = {
  traceId: string
  at: number
  status: string
  ms: number
  parts: { name: string; ms: number }[]
}

/** As many as k6 writes per second. */
const SLOWEST_MAX = 3
/** More than one k6 process writes. */
const PARTS_MAX = 64

export function createServerTimes(): ServerTimes {
  return { timed: createSums(), parts: new Map() }
}

export function createSums(): Sums {
  return { count: 0, sumMs: 0, squares: 0 }
}

export function addSums(into: Sums, { count, sumMs, squares }: Sums): void {
  into.count += count
  into.sumMs += sumMs
  into.squares += squares
}

export function foldServerTimed({ timed }: ServerTimes, point: SeriesPoint): void {
  addSums(timed, readSums(point))
}

export function foldServerTiming({ parts }: ServerTimes, point: SeriesPoint): void {
  const name = point.tags.part ?? ''
  if (!PART_NAME.test(name)) return
  const found = parts.get(name) ?? createSums()
  if (!parts.has(name) && parts.size === PARTS_MAX) return
  parts.set(name, found)
  addSums(found, readSums(point))
}

/** A value of a bucket is taken as its middle. */
function readSums({ count, sum, buckets = [] }: SeriesPoint): Sums {
  let squares = 0
  for (const [index, samples] of buckets) squares += samples * 4 ** ((index + 0.5) / BUCKETS_PER_OCTAVE)
  return { count, sumMs: sum, squares }
}

/** Keeps the slowest ones, slowest first. Ignores points that our k6 does not write. */
export function foldSlowTrace(slowest: SlowTrace[], { time, sum, tags }: SeriesPoint): void {
  const { trace_id: traceId = '', status = '', parts = '' } = tags
  if (!/^[0-9a-f]{32}$/.test(traceId) || !/^[0-9]{0,3}$/.test(status) || sum < 0) return
  slowest.push({ traceId, at: time, status, ms: sum, parts: parseParts(parts) })
  slowest.sort((a, b) => b.ms - a.ms || (a.traceId < b.traceId ? -1 : 1))
  slowest.length = Math.min(slowest.length, SLOWEST_MAX)
}

function parseParts(text: string): SlowTrace['parts'] {
  return text
    .split(' ', PARTS_MAX)
    .map((part) => part.split('='))
    .map(([name = '', ms = '']) => ({ name, ms: ms === '' ? Number.NaN : Number(ms) }))
    .filter(({ name, ms }) => PART_NAME.test(name) && Number.isFinite(ms) && ms >= 0)
}
