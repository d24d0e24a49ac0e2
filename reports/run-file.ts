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
export async function openRunFile(file: string): Promise<FileHandle> {
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

export function cannotRead(file: string, cause: unknown): BreakwaterError {
  return new BreakwaterError(`${file}: cannot be read: ${fileFailure(cause)}`, {
    hint: 'k6 wrote this file during the run. Restore it, or delete it to render the run without it.',
    cause,
  })
}

export function isMissing(error: unknown): boolean {
  return error instanceof BreakwaterError && (error.cause as NodeJS.ErrnoException).code === 'ENOENT' // as: of node:fs
}

/** Reports that folders without run.json have. */
const WHOLE_REPORTS: readonly string[] = [RUN_FILES.huntHtml, RUN_FILES.exploreHtml, RUN_FILES.comparisonHtml]

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
export function missingFolder(
  shown: string,
  cause: unknown,
  hint = '`breakwater runs` lists the runs in runs/.',
): BreakwaterError {
  return new BreakwaterError(`${shown}: the folder does not exist`, {
    hint,
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
    const whole = (await readdir(dir).catch(() => [])).find((name) => WHOLE_REPORTS.includes(name))
    const hint = whole
      ? `Its report is ${path.join(shown, whole)}: open that file.`
      : `Use a folder that a run wrote: runs/<time>-smoke-<id>, or that of --output. It contains ${RUN_FILES.run}.`
    throw new BreakwaterError(`${shown}: not a run folder: ${reason}`, { hint, cause })
  }
}

const RENDER_AGAIN =
  'Check permissions and free disk space, then run `breakwater report`: the measurements are kept.'

/**
 * Writes a file atomically: to a random new name in the same folder, then renamed, so that no link is followed.
 * Throws a BreakwaterError (environment) if it cannot be written.
 */
export async function writeWhole(file: string, text: string, hint = RENDER_AGAIN): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(temporary, text, { flag: 'wx' })
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw new BreakwaterError(`${file}: cannot be written: ${fileFailure(cause)}`, {
      hint,
      exitCode: EXIT.environment,
      cause,
    })
  }
}

/** Throws a BreakwaterError (usage) if two folders contain the same run: copies, or a merged run and a part of it. */
export function mustCountOnce(
  sources: readonly { shown: string; run: Pick<Run, 'id' | 'mergedFrom'> }[],
): void {
  const seen = new Map<string, string>()
  for (const { shown, run } of sources) {
    for (const id of [run.id, ...run.mergedFrom.map(parseId)]) {
      const before = seen.get(id)
      if (before !== undefined) {
        throw new BreakwaterError(
          `${shown}: contains the run ${id}, and so does ${before}: it would count twice`,
          { hint: 'Name each run once.' },
        )
      }
      seen.set(id, shown)
    }
  }
}

function parseId(mergedFrom: string): string {
  return mergedFrom.split(' ', 1)[0] ?? ''
}
