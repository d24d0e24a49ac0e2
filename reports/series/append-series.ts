import { constants, type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../../contract/breakwater-error.ts'
import { GENERATOR_TAGS, type SeriesEnd, type SeriesHeader } from '../../contract/series.ts'
import { HISTOGRAM_SCALE } from '../statistics/histogram.ts'
import { SERIES_FORMAT } from './point.ts'
import { openSource, type SeriesInput, type SeriesSource } from './series-source.ts'
import { createSeriesSums } from './series-sums.ts'

/** A series.ndjson that grows by what k6 processes wrote elsewhere. */
export type SeriesFile = {
  /**
   * Adds what files hold that were written at the same time, merged exactly: whole, or, where the disk is full, nothing of it;
   * then throws a BreakwaterError (environment). Damaged files are read up to the damage, and the notes say so.
   */
  append(inputs: readonly SeriesInput[]): Promise<Appended>
  /** Writes the end line, without which readers say that the series is not whole, and closes the file. */
  end(nowMs: number): Promise<void>
  /** Closes the file as it is. */
  close(): Promise<void>
}

export type Appended = {
  samples: number
  /** Unix seconds; null: there was no point. */
  firstSecond: number | null
  lastSecond: number | null
  /** Whether each of the files came to its end line. */
  complete: boolean
  notes: string[]
}

/** Writes the header at once: what is there stays readable, whatever becomes of this process. */
export async function createSeries(options: {
  file: string
  /** The version. */
  k6: string
  startMs: number
}): Promise<SeriesFile> {
  const { file, k6, startMs } = options
  const handle = await open(file, MODE).catch((cause) => {
    throw cannotWrite(file, cause)
  })
  let size = 0
  let samples = 0
  const header: SeriesHeader = {
    type: 'header',
    format: SERIES_FORMAT,
    k6,
    start: new Date(startMs).toISOString(),
    scale: HISTOGRAM_SCALE,
  }
  /** All of them or none. */
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
      return appended
    },
    async end(nowMs) {
      const end: SeriesEnd = { type: 'end', time: new Date(nowMs).toISOString(), samples }
      await write([`${JSON.stringify(end)}\n`]).finally(close)
    },
    close,
  }
}

/** Appending, so that what follows a cut stands where the cut is. */
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

/** The piece that a full disk leaves behind. Its first error says enough. */
async function cutOff(handle: FileHandle, size: number): Promise<void> {
  await handle.truncate(size).catch(() => {})
}

function cannotWrite(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
    hint: `Make room. ${basename(file)} holds what it held before, and the files that were to be added are left as they are.`,
    exitCode: EXIT.environment,
    cause,
  })
}

/**
 * Adds up the lines of the same series, second by second. If the clock of a file goes back, a second comes again, with lines of its
 * own: readers add them up.
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
 * Makes one series.ndjson of several, exactly. Where one of them has no end, or is damaged, the result has no end line either: what
 * reads it then says that it covers a part. Throws a BreakwaterError (environment) where it cannot be written.
 */
export async function mergeSeries(options: {
  inputs: readonly SeriesInput[]
  output: string
  /** Of k6. */
  version: string
  startMs: number
  nowMs: number
}): Promise<Appended> {
  const { inputs, output, version, startMs, nowMs } = options
  const series = await createSeries({ file: output, k6: version, startMs })
  try {
    const appended = await series.append(inputs)
    if (appended.complete) await series.end(nowMs)
    else await series.close()
    return appended
  } catch (error) {
    await series.close()
    throw error
  }
}
