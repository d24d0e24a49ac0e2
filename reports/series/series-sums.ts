import type { SeriesPoint } from '../../contract/series.ts'
import { addBucketList, type BucketCounts, createBucketCounts } from '../statistics/bucket-counts.ts'
import type { LeanPoint } from './lean-point.ts'

/** What tells one series from another. */
export type SeriesKey = Pick<SeriesPoint, 'metric' | 'type' | 'contains' | 'tags'>

/** What the lines of one series add up to in the second that is being read. */
export type SeriesSum = Pick<LeanPoint, 'count' | 'sum' | 'min' | 'max' | 'last' | 'zero'> & {
  /** Its key, as it stands in a line. */
  text: string
  isTrend: boolean
  lines: number
  buckets: BucketCounts
  negative: BucketCounts
}

/** The sums of a second, series by series; the second after it takes the same places. */
export type SeriesSums = {
  /** The place of a series: it holds until the `round` is another. */
  of(key: SeriesKey): SeriesSum
  round(): number
  /** Exact, as bucket counts add up. */
  add(to: SeriesSum, point: LeanPoint): void
  /** Lines as k6's output writes and sorts them, the same sums as the same bytes; then begins anew. */
  takeLines(second: number): { text: string; samples: number }
}

/** Series that come and go are forgotten from time to time: what is held does not grow with the length of a run. */
const PLACES_MAX = 10_000
const ASKED_MAX = 200_000

/** `without` are tags that are left out, so that series that differ by nothing else become one. */
export function createSeriesSums({ without }: { without: ReadonlySet<string> }): SeriesSums {
  const places = new Map<string, SeriesSum>()
  let used: SeriesSum[] = []
  let asked = 0
  let round = 0
  return {
    of({ metric, type, contains, tags }) {
      asked += 1
      const key = { metric, type, contains, tags: tagsWithout(tags, without) }
      const text = JSON.stringify(key).slice(1, -1)
      const found = places.get(text)
      if (found !== undefined) return found
      const made = createSum(text, type === 'trend')
      places.set(text, made)
      return made
    },
    round: () => round,
    add(to, point) {
      if (to.lines === 0) used.push(to)
      addLine(to, point)
    },
    takeLines(second) {
      let text = ''
      let samples = 0
      for (const sum of used.sort((a, b) => (a.text < b.text ? -1 : 1))) {
        text += lineOf(sum, second)
        samples += sum.count
        clear(sum)
      }
      used = []
      if (places.size > PLACES_MAX || asked > ASKED_MAX) {
        places.clear()
        asked = 0
        round += 1
      }
      return { text, samples }
    },
  }
}

function createSum(text: string, isTrend: boolean): SeriesSum {
  return {
    text,
    isTrend,
    lines: 0,
    count: 0,
    sum: 0,
    min: Number.NaN,
    max: Number.NaN,
    last: Number.NaN,
    zero: Number.NaN,
    buckets: createBucketCounts(),
    negative: createBucketCounts(),
  }
}

/** Of gauges, `last` is that of the later line: of several load generators, that of the one named last. */
function addLine(to: SeriesSum, point: LeanPoint): void {
  if (to.lines === 0) {
    to.count = point.count
    to.sum = point.sum
    to.min = point.min
    to.max = point.max
    to.last = point.last
    to.zero = point.zero
  } else {
    to.count += point.count
    to.sum = finite(to.sum + point.sum)
    to.min = Number.isNaN(to.min) ? point.min : Number.isNaN(point.min) ? to.min : Math.min(to.min, point.min)
    to.max = Number.isNaN(to.max) ? point.max : Number.isNaN(point.max) ? to.max : Math.max(to.max, point.max)
    to.last = Number.isNaN(point.last) ? to.last : point.last
    to.zero += point.zero
  }
  to.lines += 1
  if (point.buckets.length > 0) addBucketList(to.buckets, point.buckets)
  if (point.negative.length > 0) addBucketList(to.negative, point.negative)
}

function clear(sum: SeriesSum): void {
  sum.lines = 0
  sum.buckets.counts.fill(0)
  sum.negative.counts.fill(0)
}

function lineOf(sum: SeriesSum, second: number): string {
  let text = `{"time":${second},${sum.text},"count":${sum.count},"sum":${sum.sum}`
  if (!Number.isNaN(sum.min)) text += `,"min":${sum.min}`
  if (!Number.isNaN(sum.max)) text += `,"max":${sum.max}`
  if (!Number.isNaN(sum.last)) text += `,"last":${sum.last}`
  if (sum.isTrend) {
    text += `,"zero":${sum.zero},"buckets":[${bucketsText(sum.buckets)}]`
    const negative = bucketsText(sum.negative)
    if (negative !== '') text += `,"negative":[${negative}]`
  }
  return `${text}}\n`
}

function bucketsText({ first, counts }: BucketCounts): string {
  let text = ''
  for (let position = 0; position < counts.length; position += 1) {
    const count = counts[position] ?? 0
    if (count > 0) text += `${text === '' ? '' : ','}[${first + position},${count}]`
  }
  return text
}

function tagsWithout(tags: SeriesPoint['tags'], without: ReadonlySet<string>): SeriesPoint['tags'] {
  const names = Object.keys(tags)
    .filter((name) => !without.has(name))
    .sort()
  return Object.fromEntries(names.map((name) => [name, tags[name] ?? '']))
}

/** A sum that overflows stays within what JSON can say. */
function finite(sum: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}
