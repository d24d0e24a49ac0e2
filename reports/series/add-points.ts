import type { Bucket, SeriesPoint } from '../../contract/series.ts'

/** Points of one second by series: those of the same series are added up. */
export type PointSums = Map<string, SeriesPoint>

/** `without` is a tag to leave out, so that series that differ by nothing else become one. */
export function addPoint(sums: PointSums, point: SeriesPoint, without: string): void {
  const tags = tagsWithout(point.tags, without)
  const key = JSON.stringify([point.metric, point.type, point.contains, tags])
  const before = sums.get(key)
  sums.set(key, before === undefined ? { ...point, tags } : added(before, point))
}

/** Sorted, as k6's output writes them: the same points give the same bytes. */
export function pointLines(sums: PointSums): string[] {
  return [...sums.values()].map((point) => `${JSON.stringify(point)}\n`).sort()
}

/** Of gauges, `last` is that of the later point: of several load generators, that of the one named last. */
function added(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  return {
    ...a,
    count: a.count + b.count,
    sum: finite(a.sum + b.sum),
    ...known('min', least(a.min, b.min)),
    ...known('max', greatest(a.max, b.max)),
    ...known('last', b.last ?? a.last),
    ...(a.type === 'trend' ? { zero: (a.zero ?? 0) + (b.zero ?? 0) } : {}),
    ...(a.type === 'trend' ? { buckets: addedBuckets(a.buckets, b.buckets) } : {}),
    ...known('negative', a.negative || b.negative ? addedBuckets(a.negative, b.negative) : undefined),
  }
}

function addedBuckets(a: readonly Bucket[] = [], b: readonly Bucket[] = []): Bucket[] {
  const counts = new Map(a)
  for (const [index, count] of b) counts.set(index, (counts.get(index) ?? 0) + count)
  return [...counts].sort(([one], [other]) => one - other)
}

function tagsWithout(tags: SeriesPoint['tags'], without: string): SeriesPoint['tags'] {
  const names = Object.keys(tags)
    .filter((name) => name !== without)
    .sort()
  return Object.fromEntries(names.map((name) => [name, tags[name] ?? '']))
}

/** A sum that overflows stays within what JSON can say. */
function finite(sum: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
}

function greatest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
}

function known<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value }) // as: a computed key is any string
}
