import type { FileHandle } from 'node:fs/promises'
import type { SeriesPoint } from '../../contract/series.ts'
import { cannotRead, isMissing, openRunFile } from '../run-file.ts'
import { isSeriesPoint } from './point.ts'

/** Whole lines of a file: bytes that end with a line end, and hold until the next chunk is asked for. */
export type LineChunk = {
  bytes: Buffer
  /** False for a last line that no line end follows in the file: its writer may have been stopped in the middle. */
  terminated: boolean
}

const CHUNK_BYTES = 128 * 1024
/** Longer than any line that is written: a file without line ends is damaged, and must not fill the memory. */
const LINE_BYTES_MAX = 16 * 1024 * 1024

const LINE_END = 0x0a

/**
 * A file in chunks; the next is read while one is in use. Throws a BreakwaterError (usage) where it cannot be read; `isMissing` tells
 * whether it is not there.
 */
export async function* lineChunks(file: string): AsyncGenerator<LineChunk, void, undefined> {
  try {
    const handle = await openRunFile(file)
    try {
      yield* chunksOf(handle)
    } finally {
      await handle.close()
    }
  } catch (cause) {
    throw cannotRead(file, cause)
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<LineChunk, void, undefined> {
  let bytes = Buffer.allocUnsafe(CHUNK_BYTES)
  let spare = Buffer.allocUnsafe(CHUNK_BYTES)
  /** At the beginning of the bytes: of a line whose end has not been read yet. */
  let rest = 0
  let reading = handle.read(bytes, 0, bytes.length)
  for (;;) {
    const { bytesRead } = await reading
    if (bytesRead === 0 || rest > LINE_BYTES_MAX) break
    const length = rest + bytesRead
    const whole = bytes.subarray(0, length).lastIndexOf(LINE_END) + 1
    rest = length - whole
    if (2 * rest > spare.length) spare = Buffer.allocUnsafe(2 * rest + CHUNK_BYTES)
    bytes.copy(spare, 0, whole, length)
    reading = handle.read(spare, rest, spare.length - rest)
    reading.catch(() => {}) // thrown above, unless nobody asks for more
    if (whole > 0) yield { bytes: bytes.subarray(0, whole), terminated: true }
    ;[bytes, spare] = [spare, bytes]
  }
  if (rest === 0) return
  bytes[rest] = LINE_END
  yield { bytes: bytes.subarray(0, rest + 1), terminated: false }
}

const LINE_FEED = 0x0a

/**
 * The points of a series file whose metric begins so: a few among many, as the lines between are not even read. Lines that are damaged
 * or cut off are left out. None where there is no such file. Throws a BreakwaterError (usage) where it cannot be read.
 */
export async function* findPoints(
  file: string,
  metricStart: string,
): AsyncGenerator<SeriesPoint, void, undefined> {
  // Its quotes are not escaped: only as the name of a metric, or the value of a tag of that name, can this stand in a line.
  const mark = Buffer.from(`"metric":"${metricStart}`)
  try {
    for await (const { bytes } of lineChunks(file)) {
      for (let at = bytes.indexOf(mark); at !== -1; ) {
        const end = bytes.indexOf(LINE_FEED, at)
        const point = parsed(bytes.toString('utf8', bytes.lastIndexOf(LINE_FEED, at) + 1, end))
        if (point?.metric.startsWith(metricStart)) yield point
        at = bytes.indexOf(mark, end)
      }
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function parsed(line: string): SeriesPoint | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isSeriesPoint(value) ? value : undefined
  } catch {
    return undefined
  }
}
