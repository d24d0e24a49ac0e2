/**
 * Files of a run folder that may be hostile: a link could lead to any file of the reader, and reading a pipe could block.
 */

import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { constants, type FileHandle, lstat, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { BreakwaterError, EXIT, fileFailure } from '../contract/breakwater-error.ts'
import { parseJsonFile } from '../contract/json-file.ts'
import { RUN_FILES, type Run, runSchema } from '../contract/run.ts'
import { type Slo, sloSchema } from '../contract/slo.ts'

// Without O_NONBLOCK, opening a pipe waits for its writer.
const MODE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Opens a regular file of a run folder. Throws as node:fs does, and an error that names the kind of file for a link,
 * a pipe or a device.
 */
async function openRunFile(file: string): Promise<FileHandle> {
  const handle = await open(file, MODE).catch(async (cause) => {
    throw (await isLink(file)) ? new Error(LINK) : cause.code === 'ENXIO' ? new Error(NO_FILE) : cause
  })
  const stats = await handle.stat()
  // A folder can be opened; reading it fails with its own message.
  if (stats.isFile() || stats.isDirectory()) return handle
  await handle.close()
  throw new Error(NO_FILE)
}

/** Reads a regular file of a run folder. Throws as `openRunFile` does, and if the file is larger than `bytesMax`. */
export async function readRunFile(
  file: string,
  { bytesMax = Number.POSITIVE_INFINITY }: { bytesMax?: number } = {},
): Promise<string> {
  const handle = await openRunFile(file)
  try {
    if ((await handle.stat()).size > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** As `readRunFile`, for many small files: a switch of threads for each step would take longer than reading them. */
export function readSmallRunFile(file: string, { bytesMax }: { bytesMax: number }): string {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, MODE)
    const stats = fstatSync(descriptor)
    if (!stats.isFile() && !stats.isDirectory()) throw new Error(NO_FILE)
    if (stats.size > bytesMax) throw new Error(`it is larger than ${bytesMax} bytes`)
    return readFileSync(descriptor, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // as: errors of node:fs carry a code
    throw code === 'ELOOP' ? new Error(LINK) : code === 'ENXIO' ? new Error(NO_FILE) : error
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The names in a subfolder of a run folder; empty if it does not exist. Throws if it is a link. */
export async function namesInRunFolder(dir: string): Promise<string[]> {
  if (await isLink(dir)) throw new Error(LINK)
  return readdir(dir).catch(() => [])
}

const LINK = 'it is a link, and links in a run folder are not followed'
const NO_FILE = 'it is a pipe or a device, not a file'

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  )
}

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
 * read; `isMissing` is true for that error if the file does not exist.
 */
export async function* lineBatches(file: string): AsyncGenerator<Line[], void, undefined> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  try {
    const handle = await openRunFile(file)
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES })) {
      // Split at line ends, which are never part of a multi-byte character.
      const buffer: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const lines: Line[] = []
      let start = 0
      for (let end = buffer.indexOf(LINE_END); end !== -1; end = buffer.indexOf(LINE_END, start)) {
        number += 1
        if (end > start) lines.push(new FileLine({ buffer, start, end }, number, true))
        start = end + 1
      }
      rest = buffer.subarray(start)
      yield lines
      if (rest.length > LINE_LENGTH_MAX) break
    }
  } catch (cause) {
    throw cannotRead(file, cause)
  }
  const last = { buffer: rest, start: 0, end: rest.length }
  if (rest.length > 0) yield [new FileLine(last, number + 1, false)]
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

export function cannotRead(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be read: ${fileFailure(cause)}`, {
    hint: 'k6 wrote this file during the run. Restore it, or delete it to render the run without it.',
    cause,
  })
}

export function isMissing(error: unknown): boolean {
  return error instanceof BreakwaterError && (error.cause as NodeJS.ErrnoException).code === 'ENOENT' // as: of node:fs
}

const runFileSchema = runSchema.extend({ slo: z.union([sloSchema, z.null()]) })

/** Throws a BreakwaterError (usage) if `dir` is not a run folder; `shown` is its name as the user gave it. */
export async function readRun(
  dir: string,
  { shown = dir }: { shown?: string } = {},
): Promise<Run & { slo: Slo | null }> {
  const text = await readText(dir, shown)
  return parseJsonFile({
    file: path.join(shown, RUN_FILES.run),
    text,
    schema: runFileSchema,
    what: 'run',
    hint: 'The command that made the run wrote this file: it is damaged, or from another version.',
    noJsonMeans: 'cut short or damaged',
  })
}

/** The error for a folder that the user named and that does not exist. */
export function missingFolder(shown: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${shown}: the folder does not exist`, {
    hint: '`breakwater runs` lists the runs in runs/.',
    cause,
  })
}

async function readText(dir: string, shown: string): Promise<string> {
  try {
    return await readRunFile(path.join(dir, RUN_FILES.run))
  } catch (cause) {
    const exists = await lstat(dir).then(
      () => true,
      () => false,
    )
    if (!exists) throw missingFolder(shown, cause)
    const { code } = cause as NodeJS.ErrnoException // as: errors of node:fs carry a code
    if (code === 'ENOTDIR') {
      throw new BreakwaterError(`${shown}: is a file, not a run folder`, {
        hint: `Expected a folder that contains ${RUN_FILES.run}.`,
        cause,
      })
    }
    const reason =
      code === 'ENOENT' ? `${RUN_FILES.run} is missing` : `${RUN_FILES.run}: ${fileFailure(cause)}`
    throw new BreakwaterError(`${shown}: not a run folder: ${reason}`, {
      hint: `Use a folder that a run wrote: runs/<time>-smoke-<id>, or that of --output. It contains ${RUN_FILES.run}.`,
      cause,
    })
  }
}

/**
 * Writes a file atomically: to a random new name in the same folder, then renamed, so that no link is followed.
 * Throws a BreakwaterError (environment) if it cannot be written.
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { flag: 'wx' })
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
      hint: 'Check permissions and free disk space, then run `breakwater report`: the measurements are kept.',
      exitCode: EXIT.environment,
      cause,
    })
  }
}
