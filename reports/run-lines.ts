/** The lines of files in a run folder: all of a file, or those that it gains. */
import { cannotRead, isMissing, openRunFile } from './run-file.ts'

/** No writer exceeds it; a damaged file without line ends must not exhaust memory. */
const LINE_LENGTH_MAX = 16 * 1024 * 1024
const LINE_END = 0x0a
const CHUNK_BYTES = 1 << 18

export type Line = {
  readonly text: string
  readonly number: number
  /** False for a last line without a line end: its writer may have been stopped. */
  readonly terminated: boolean
  /** Lines of `lineBatches` have them: their text is decoded only if it is read. */
  readonly bytes?: Bytes
}

export type Bytes = { readonly buffer: Buffer; readonly start: number; readonly end: number }

class FileLine implements Line, Bytes {
  readonly buffer: Buffer
  readonly start: number
  readonly end: number
  readonly number: number
  readonly terminated: boolean

  constructor({ buffer, start, end }: Bytes, number: number, terminated: boolean) {
    this.buffer = buffer
    this.start = start
    this.end = end
    this.number = number
    this.terminated = terminated
  }

  get text(): string {
    return this.buffer.toString('utf8', this.start, this.end)
  }

  get bytes(): Bytes {
    return this
  }
}

/**
 * Reads a text file line by line in chunks until `onLine` returns 'stop'. Skips empty lines. Returns false if the
 * file does not exist. Throws a BreakwaterError (usage) if it cannot be read.
 */
export async function readLines(file: string, onLine: (line: Line) => 'stop' | undefined): Promise<boolean> {
  try {
    for await (const lines of lineBatches(file)) {
      for (const line of lines) if (onLine(line) === 'stop') return true
    }
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
  return true
}

/**
 * The lines of a text file, one chunk at a time, without empty ones. Throws a BreakwaterError (usage) if it cannot be
 * read; `isMissing` is true for that error if the file does not exist. A batch is valid until the next one is requested:
 * all are read into the same buffer.
 */
export async function* lineBatches(file: string): AsyncGenerator<Line[], void, undefined> {
  let buffer: Buffer = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES)
  let filled = 0
  let number = 0
  try {
    const handle = await openRunFile(file)
    try {
      while (filled <= LINE_LENGTH_MAX) {
        if (buffer.length - filled < CHUNK_BYTES) buffer = enlarged(buffer, filled)
        const { bytesRead } = await handle.read(buffer, filled, CHUNK_BYTES, null)
        if (bytesRead === 0) break
        filled += bytesRead
        // Split at line ends, which are never part of a multi-byte character.
        const read = buffer.subarray(0, filled)
        const lines: Line[] = []
        let start = 0
        for (let end = read.indexOf(LINE_END); end !== -1; end = read.indexOf(LINE_END, start)) {
          number += 1
          if (end > start) lines.push(new FileLine({ buffer, start, end }, number, true))
          start = end + 1
        }
        yield lines
        buffer.copyWithin(0, start, filled)
        filled -= start
      }
    } finally {
      await handle.close()
    }
  } catch (cause) {
    throw cannotRead(file, cause)
  }
  const last = { buffer, start: 0, end: filled }
  if (filled > 0) yield [new FileLine(last, number + 1, false)]
}

function enlarged(buffer: Buffer, filled: number): Buffer {
  const large = Buffer.allocUnsafeSlow(2 * buffer.length)
  buffer.copy(large, 0, 0, filled)
  return large
}

/** The lines that a growing file has gained since the last `read`. */
export type GrowingLines = {
  /**
   * Passes on new lines that have their line end, except empty ones. Returns `restarted` if the file became shorter or
   * was removed: forget its earlier lines, they come again. Throws a BreakwaterError (usage) if it cannot be read.
   */
  read(onLine: (line: Line) => void): Promise<'grown' | 'same' | 'restarted'>
}

/** Follows a file of a run folder while another process writes it; a missing file has no lines yet. */
export function followRunLines(file: string): GrowingLines {
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let position = 0
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  const restart = () => {
    const isNew = position === 0
    position = 0
    number = 0
    rest = Buffer.alloc(0)
    return isNew ? 'same' : 'restarted'
  }
  const take = (bytes: Buffer, onLine: (line: Line) => void) => {
    // Split at line ends, which are never part of a multi-byte character.
    const all = Buffer.concat([rest, bytes])
    const end = all.lastIndexOf('\n') + 1
    rest = all.subarray(end)
    if (end === 0) return
    for (const text of all.toString('utf8', 0, end - 1).split('\n')) {
      number += 1
      if (text !== '') onLine({ text, number, terminated: true })
    }
  }
  return {
    async read(onLine) {
      const handle = await openRunFile(file).catch((cause) => {
        if (cause.code === 'ENOENT') return undefined
        throw cannotRead(file, cause)
      })
      if (handle === undefined) return restart()
      try {
        if ((await handle.stat()).size < position) return restart()
        const before = position
        while (rest.length <= LINE_LENGTH_MAX) {
          const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position)
          if (bytesRead === 0) break
          position += bytesRead
          take(buffer.subarray(0, bytesRead), onLine)
        }
        return position > before ? 'grown' : 'same'
      } catch (cause) {
        throw cannotRead(file, cause)
      } finally {
        await handle.close()
      }
    },
  }
}
