import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readlinkSync, rmdirSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { homedir, hostname, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../contract/breakwater-error.ts'

/**
 * Creates a folder and its missing parents one at a time: Node's recursive mkdir loops forever in a folder that rejects
 * new ones, such as /proc. Throws a BreakwaterError: usage if a file is in the way, environment if the system rejects
 * it.
 */
export async function makeFolder(dir: string, options: { hint: string; mode?: number }): Promise<void> {
  if (await isFolder(dir, options)) return
  await makeFolder(dirname(dir), options)
  try {
    await mkdir(dir, options.mode)
  } catch (cause) {
    if (await isFolder(dir, options)) return
    throw cannot(dir, cause, options)
  }
}

async function isFolder(path: string, { hint }: { hint: string }): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (cause) {
    // as: errors of node:fs carry a code. ENOTDIR: the caller finds the file in the path.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return false
    throw cannot(path, cause, { hint })
  }
  throw new BreakwaterError(`${path}: is a file, not a folder`, { hint })
}

function cannot(path: string, cause: unknown, { hint }: { hint: string }): BreakwaterError {
  const { code } = cause as NodeJS.ErrnoException
  const reason = code === 'ENOENT' ? 'its file system does not allow folders' : fileFailure(cause)
  return new BreakwaterError(`${path}: cannot create the folder: ${reason}`, {
    hint,
    exitCode: EXIT.environment,
    cause,
  })
}

/** Marks a run folder whose other files do not name an owner yet. */
export const CLAIM = '.claim'

/**
 * Creates a folder, or takes an existing one, for one command only: of several mkdir calls one succeeds. Returns a
 * function that removes the claim, for when the folder holds what `mustBeFree` rejects. Throws what `mustBeFree`
 * throws, and a BreakwaterError: usage if another command holds the claim, environment if the folder cannot be written.
 */
export async function claimFolder(
  dir: string,
  { shown, mustBeFree }: { shown: string; mustBeFree: (names: readonly string[]) => void },
): Promise<() => Promise<void>> {
  await makeFolder(dir, OTHER_OUTPUT)
  const names = async () => (await readdir(dir)).filter((name) => name !== CLAIM)
  mustBeFree(await names())
  const claim = join(dir, CLAIM)
  await mkdir(claim).catch((cause) => {
    throw cannotClaim(shown, cause)
  })
  const release = () => rmdir(claim).catch(() => {})
  try {
    // Another command may have claimed and filled it in between.
    mustBeFree(await names())
  } catch (error) {
    await release()
    throw error
  }
  return release
}

/**
 * Checks early that `claimFolder` will succeed, and leaves nothing behind. Throws like it.
 */
export async function requireFreeFolder(
  dir: string,
  { shown, mustBeFree }: { shown: string; mustBeFree: (names: readonly string[]) => void },
): Promise<void> {
  const existing = await findExisting(dir, OTHER_OUTPUT)
  try {
    if (existing === dir) mustBeFree((await readdir(dir)).filter((name) => name !== CLAIM))
    tryToWrite(existing)
  } catch (cause) {
    if (cause instanceof BreakwaterError) throw cause
    // as: errors of node:fs carry a code.
    throw existing === dir
      ? cannotClaim(shown, cause as NodeJS.ErrnoException)
      : cannot(dir, cause, OTHER_OUTPUT)
  }
}

async function findExisting(dir: string, options: { hint: string }): Promise<string> {
  let existing = dir
  while (!(await isFolder(existing, options))) existing = dirname(existing)
  return existing
}

/**
 * Checks early that a folder can be written, or created, and leaves nothing behind. Throws a BreakwaterError: usage if a file is in
 * the way, environment if the system rejects it.
 */
export async function requireWritableFolder(
  dir: string,
  { shown, hint }: { shown: string; hint: string },
): Promise<void> {
  const existing = await findExisting(dir, { hint })
  try {
    tryToWrite(existing)
  } catch (cause) {
    throw existing === dir ? cannotWrite(shown, cause, { hint }) : cannot(dir, cause, { hint })
  }
}

function cannotWrite(shown: string, cause: unknown, { hint }: { hint: string }): BreakwaterError {
  return new BreakwaterError(`${shown}: cannot be written: ${fileFailure(cause)}`, {
    hint,
    exitCode: EXIT.environment,
    cause,
  })
}

/**
 * Creates and removes a folder, because permissions do not show a read-only file system. Throws errors of node:fs. An interrupt cannot
 * come in between, so nothing is left.
 */
export function tryToWrite(folder: string): void {
  rmdirSync(mkdtempSync(join(folder, '.breakwater-')))
}

const OTHER_OUTPUT = { hint: 'Name another folder with --output.' }

function cannotClaim(shown: string, cause: NodeJS.ErrnoException): BreakwaterError {
  if (cause.code === 'EEXIST') {
    return new BreakwaterError(`${shown}: another command is about to write into it`, {
      hint: `Name another folder with --output. If no other command is running, it was killed: remove ${join(shown, CLAIM)}.`,
      cause,
    })
  }
  return cannotWrite(shown, cause, {
    hint: 'The folder must be writable, and the disk must have room. Name another folder with --output.',
  })
}

/**
 * Creates a private temporary folder for data that must not outlive this process, such as keys. Its name contains the
 * process id. First removes folders of killed processes. Throws a BreakwaterError (environment) if it cannot be created.
 */
export async function makeScratchFolder(purpose: string): Promise<string> {
  await removeAbandoned()
  const prefix = `breakwater-${purpose}-${PLACE}-${process.pid}-${readStart(process.pid)}-`
  return mkdtemp(join(tmpdir(), prefix)).catch((cause: unknown) => {
    throw scratchFailure(cause)
  })
}

/** Checks early that `makeScratchFolder` will succeed. Throws like it. */
export function requireScratch(): void {
  try {
    tryToWrite(tmpdir())
  } catch (cause) {
    throw scratchFailure(cause)
  }
}

/** Turns an error of node:fs into a BreakwaterError (environment) about the temporary folder. */
export function scratchFailure(cause: unknown): BreakwaterError {
  return cannotWrite(`temporary folder ${tmpdir()} (TMPDIR)`, cause, {
    hint: 'Set TMPDIR to a folder that you can write to, on a disk with room.',
  })
}

/** Process ids are local to a machine and container; others may share the temporary folder. */
const PLACE = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8)

const NAME = /^breakwater-[a-z]+-([0-9a-f]{8})-(\d+)-(\d+)-[A-Za-z0-9]+$/

async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names) {
    const [, place, pid, start] = NAME.exec(name) ?? []
    if (place !== PLACE || isRunning(Number(pid), Number(start))) continue
    const folder = join(tmpdir(), name)
    const stats = await lstat(folder).catch(() => null)
    if (stats?.isDirectory() && stats.uid === process.getuid?.())
      await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

function isRunning(pid: number, start: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH' // as: errors of node:process carry a code
  }
  return readStart(pid) === start
}

/** Start time in ticks since boot, field 22 of /proc/PID/stat; -1 for a zombie, 0 on systems without /proc. */
function readStart(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? -1 : Number(fields[19])
  } catch {
    return 0
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

export const CACHE_HINT =
  'Set XDG_CACHE_HOME to the absolute path of a folder that you can write to and other users cannot.'

/**
 * Returns the cache folder, and creates it if needed. Programs in it are executed, so no other user may write into it.
 * Throws a BreakwaterError (environment).
 */
export async function openCache(env: NodeJS.ProcessEnv): Promise<string> {
  const dir = cacheFolder(env)
  await makeFolder(dir, { hint: CACHE_HINT, mode: 0o700 })
  const foreign = await foreignAccess(dir)
  if (foreign === null) return dir
  throw new BreakwaterError(`${dir}: ${foreign}: its programs are not executed`, {
    hint: CACHE_HINT,
    exitCode: EXIT.environment,
  })
}

/** Explains how another user, except root, could put programs into an existing folder; null if none could. */
export async function foreignAccess(dir: string): Promise<string | null> {
  const { uid, mode } = await stat(dir)
  if (![0, process.getuid?.() ?? uid].includes(uid)) return 'belongs to another user'
  return (mode & 0o002) === 0 ? null : 'every user can write into it'
}

/** Cache of builds and downloads, shared by all checkouts. */
// https://specifications.freedesktop.org/basedir-spec: a relative XDG_CACHE_HOME must be ignored.
export function cacheFolder({ XDG_CACHE_HOME: xdg, HOME: home }: NodeJS.ProcessEnv): string {
  return join(xdg && isAbsolute(xdg) ? xdg : join(home || homedir(), '.cache'), 'breakwater')
}
