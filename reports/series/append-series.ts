import { constants, type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import {
  type Bucket,
  GENERATOR_TAGS,
  type SeriesEnd,
  type SeriesHeader,
  type SeriesPoint,
} from '../../contract/series.ts'
import {
  addBuckets,
  type BucketCounts,
  createBucketCounts,
  HISTOGRAM_SCALE,
} from '../statistics/histogram.ts'
import { SERIES_FORMAT } from './point.ts'
import { openSource, type SeriesInput, type SeriesSource } from './series-source.ts'

/** A series.ndjson file that results of other k6 processes are appended to. */
export type SeriesFile = {
  /**
   * Appends the exact merge of files that were written at the same time. On a full disk it appends nothing and throws
   * a BreakwaterError (environment). Damaged files are read up to the damage, which the notes report.
   */
  append(inputs: readonly SeriesInput[]): Promise<Appended>
  /**
   * Closes the file with its end line, unless an appended file was incomplete: without that line, readers report that
   * the series covers a part.
   */
  end(nowMs: number): Promise<void>
  close(): Promise<void>
}

export type Appended = {
  samples: number
  /** Unix seconds; null if there were no points. */
  firstSecond: number | null
  lastSecond: number | null
  complete: boolean
  notes: string[]
}

/** Writes the header at once, so that the file stays readable even if this process dies. */
export async function createSeries(options: {
  file: string
  k6: string
  startMs: number
}): Promise<SeriesFile> {
  const { file, k6, startMs } = options
  const handle = await open(file, MODE).catch((cause) => {
    throw cannotWrite(file, cause)
  })
  let size = 0
  let samples = 0
  let complete = true
  const header: SeriesHeader = {
    type: 'header',
    format: SERIES_FORMAT,
    k6,
    start: new Date(startMs).toISOString(),
    scale: HISTOGRAM_SCALE,
  }
  const write = async (chunks: Iterable<string> | AsyncIterable<string>) => {
    try {
      for await (const chunk of chunks) await handle.appendFile(chunk)
      size = (await handle.stat()).size
    } catch (cause) {
      await cutOff(handle, size)
      throw cause instanceof BreakwaterError ? cause : cannotWrite(file, cause)
    }
  }
  const close = () => handle.close()
  await write([`${JSON.stringify(header)}\n`]).catch(async (error) => {
    await close()
    throw error
  })
  return {
    async append(inputs) {
      const merge = startMerge(inputs)
      await write(merge.chunks())
      const appended = merge.result()
      samples += appended.samples
      complete &&= appended.complete
      return appended
    },
    async end(nowMs) {
      if (!complete) return close()
      const end: SeriesEnd = { type: 'end', time: new Date(nowMs).toISOString(), samples }
      await write([`${JSON.stringify(end)}\n`]).finally(close)
    },
    close,
  }
}

/** Append mode, so that writes continue at the end after a truncation. */
const MODE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

const CHUNK_LENGTH = 256 * 1024

function startMerge(inputs: readonly SeriesInput[]) {
  const sources = inputs.map(openSource)
  let samples = 0
  let firstSecond: number | null = null
  let lastSecond: number | null = null
  return {
    async *chunks() {
      let chunk = ''
      for await (const { second, ...lines } of mergedSeconds(sources)) {
        samples += lines.samples
        firstSecond = Math.min(firstSecond ?? second, second)
        lastSecond = Math.max(lastSecond ?? second, second)
        chunk += lines.text
        if (chunk.length < CHUNK_LENGTH) continue
        yield chunk
        chunk = ''
      }
      yield chunk
    },
    result: (): Appended => ({
      samples,
      firstSecond,
      lastSecond,
      complete: sources.every((source) => source.complete()),
      notes: sources.flatMap((source) => source.notes()),
    }),
  }
}

/** Removes a partial write after a full disk. Ignores errors, because the first one is reported. */
async function cutOff(handle: FileHandle, size: number): Promise<void> {
  await handle.truncate(size).catch(() => {})
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: `Free disk space. ${basename(file)} is unchanged, and the files to be added are kept.`,
    exitCode: EXIT.environment,
    cause,
  })
}

/**
 * Merges the points of the same series per second. If the clock of a file goes back, a second occurs twice: readers
 * add the lines up.
 */
async function* mergedSeconds(sources: readonly SeriesSource[]) {
  const sums = createSeriesSums({ without: GENERATOR_TAGS })
  try {
    for (const source of sources) await source.load()
    for (;;) {
      const second = Math.min(...sources.map((source) => source.head()?.time ?? Number.POSITIVE_INFINITY))
      if (second === Number.POSITIVE_INFINITY) return
      for (const source of sources) {
        for (let point = source.head(); point?.time === second; point = source.head()) {
          sums.add(point)
          if (!source.advance()) await source.load()
        }
      }
      yield { second, ...sums.takeLines(second) }
    }
  } finally {
    for (const source of sources) await source.close()
  }
}

/**
 * Merges several series.ndjson files into one, exactly. If one of them is incomplete or damaged, the result has no
 * end line, so readers report that it covers a part. Throws a BreakwaterError (environment) if it cannot be written.
 */
export async function mergeSeries(options: {
  inputs: readonly SeriesInput[]
  output: string
  version: string
  startMs: number
  nowMs: number
}): Promise<Appended> {
  const { inputs, output, version, startMs, nowMs } = options
  const series = await createSeries({ file: output, k6: version, startMs })
  try {
    const appended = await series.append(inputs)
    await series.end(nowMs)
    return appended
  } catch (error) {
    await series.close()
    throw error
  }
}

type SeriesSums = {
  /** Exact, because bucket counts add up. For gauges, `last` is that of the point added last. */
  add(point: SeriesPoint): void
  /** The lines in the format and order of k6's output, and their number of samples. Resets the sums. */
  takeLines(second: number): { text: string; samples: number }
}

/** Series that differ only by tags in `without` become one. */
function createSeriesSums({ without }: { without: ReadonlySet<string> }): SeriesSums {
  const sums = new Map<string, SeriesSum>()
  return {
    add(point) {
      const key = buildKey(point, without)
      let sum = sums.get(key)
      if (sum === undefined) {
        sum = createSum(point, without)
        sums.set(key, sum)
      }
      addPoint(sum, point)
    },
    takeLines(second) {
      const all = [...sums.values()]
      sums.clear()
      return {
        text: all
          .map((sum) => formatLine(sum, second))
          .sort()
          .join(''),
        samples: all.reduce((samples, { count }) => samples + count, 0),
      }
    },
  }
}

/**
 * Includes the length of each text, so that keys are unique. k6 sorts tags by name; a file from another source may
 * have several keys, and so several lines, for a series, which readers add up.
 */
function buildKey({ metric, type, contains, tags }: SeriesPoint, without: ReadonlySet<string>): string {
  let key = `${type} ${metric.length} ${metric}${contains}`
  for (const name in tags) {
    const value = tags[name] ?? ''
    if (!without.has(name)) key += ` ${name.length} ${value.length} ${name}${value}`
  }
  return key
}

type SeriesSum = Omit<SeriesPoint, 'time' | 'buckets' | 'negative'> & {
  buckets: BucketCounts
  negative: BucketCounts
}

function createSum({ metric, type, contains, tags }: SeriesPoint, without: ReadonlySet<string>): SeriesSum {
  return {
    metric,
    type,
    contains,
    tags: Object.fromEntries(
      Object.entries(tags)
        .filter(([name]) => !without.has(name))
        .sort(),
    ),
    count: 0,
    sum: 0,
    buckets: createBucketCounts(),
    negative: createBucketCounts(),
  }
}

function addPoint(to: SeriesSum, { count, sum, min, max, last, zero, buckets, negative }: SeriesPoint): void {
  to.count += count
  to.sum = finite(to.sum + sum)
  if (isNumber(min)) to.min = Math.min(to.min ?? min, min)
  if (isNumber(max)) to.max = Math.max(to.max ?? max, max)
  if (isNumber(last)) to.last = last
  if (to.type !== 'trend') return
  to.zero = (to.zero ?? 0) + (zero ?? 0)
  addBuckets(to.buckets, buckets ?? [])
  addBuckets(to.negative, negative ?? [])
}

/** Only the fields of trends have been checked. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function finite(sum: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sum))
}

function formatLine(of: SeriesSum, second: number): string {
  const { metric, type, contains, tags, count, sum, min, max, last, zero } = of
  const negative = storedBuckets(of.negative)
  const point = {
    ...{ time: second, metric, type, contains, tags, count, sum, min, max, last, zero },
    ...(type === 'trend' && { buckets: storedBuckets(of.buckets) }),
    ...(negative.length > 0 && { negative }),
  }
  return `${JSON.stringify(point)}\n`
}

/** By rising index, without empty buckets. */
function storedBuckets({ first, counts }: BucketCounts): Bucket[] {
  const buckets: Bucket[] = []
  for (let position = 0; position < counts.length; position += 1) {
    const count = counts[position] ?? 0
    if (count > 0) buckets.push([first + position, count])
  }
  return buckets
}
