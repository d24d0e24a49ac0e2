import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { homedir, hostname, tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { BreakwaterError, EXIT, fileFailure } from '../contract/breakwater-error.ts'

/**
 * Makes a folder, and those above it that are missing, one at a time: Node's recursive mkdir goes round for ever where a
 * folder exists and takes no new ones, as in /proc. Throws a BreakwaterError: usage where a file stands in the way, environment
 * where the system refuses.
 */
export async function makeFolder(dir: string, options: { hint: string }): Promise<void> {
  if (await isFolder(dir, options)) return
  await makeFolder(dirname(dir), options)
  try {
    await mkdir(dir)
  } catch (cause) {
    // Another may have been first.
    if (await isFolder(dir, options)) return
    throw cannot(dir, cause, options)
  }
}

async function isFolder(path: string, { hint }: { hint: string }): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true
  } catch (cause) {
    // as: errors of node:fs carry a code. ENOTDIR: the caller finds the file above.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return false
    throw cannot(path, cause, { hint })
  }
  throw new BreakwaterError(`${path}: is a file, not a folder`, { hint })
}

function cannot(path: string, cause: unknown, { hint }: { hint: string }): BreakwaterError {
  const { code } = cause as NodeJS.ErrnoException
  // What is above it is there: the file system takes no folders.
  const reason = code === 'ENOENT' ? 'its file system takes none' : fileFailure(cause)
  return new BreakwaterError(`${path}: the folder cannot be made: ${reason}`, {
    hint,
    exitCode: EXIT.environment,
    cause,
  })
}

/** A folder in a run folder, for as long as no file in it says whose it is. */
export const CLAIM = '.claim'

/**
 * Makes a folder for one command alone, or takes one that is there, with a mkdir of which only one command can succeed. Returns the
 * end of the claim, for when the folder holds what `mustBeFree` rejects. Throws what `mustBeFree` throws, and a BreakwaterError: usage if
 * another command has claimed it, environment if it cannot be written.
 */
export async function claimFolder(
  dir: string,
  { shown, mustBeFree }: { shown: string; mustBeFree: (names: readonly string[]) => void },
): Promise<() => Promise<void>> {
  await makeFolder(dir, { hint: 'Name another folder with --out.' })
  const names = async () => (await readdir(dir)).filter((name) => name !== CLAIM)
  mustBeFree(await names())
  const claim = join(dir, CLAIM)
  await mkdir(claim).catch((cause) => {
    throw cannotClaim(shown, cause)
  })
  const release = () => rmdir(claim).catch(() => {})
  try {
    // Another may have had it since, and be done with its claim.
    mustBeFree(await names())
  } catch (error) {
    await release()
    throw error
  }
  return release
}

function cannotClaim(shown: string, cause: NodeJS.ErrnoException): BreakwaterError {
  if (cause.code === 'EEXIST') {
    return new BreakwaterError(`${shown}: another command is beginning to write into it`, {
      hint: `Name another folder with --out. If none is running, it was killed: remove ${join(shown, CLAIM)}.`,
      cause,
    })
  }
  return new BreakwaterError(`${shown}: cannot be written: ${fileFailure(cause)}`, {
    hint: 'The folder must be writable, and the disk must have room. --out names another.',
    exitCode: EXIT.environment,
    cause,
  })
}

/**
 * Makes a folder for this user alone in the temporary folder, for what must not outlive this process, such as keys. Its name says which
 * process it belongs to. Folders of processes that were killed are removed first.
 */
export async function makeScratchFolder(purpose: string): Promise<string> {
  await removeAbandoned()
  return mkdtemp(join(tmpdir(), `breakwater-${purpose}-${PLACE}-${process.pid}-${startOf(process.pid)}-`))
}

/** Ids of processes mean something here alone: other machines and containers may share the temporary folder. */
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

/** Another process may have got the id since. */
function isRunning(pid: number, start: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH' // as: errors of node:process carry a code
  }
  return startOf(pid) === start
}

/** Ticks since boot, the 22nd field of /proc/PID/stat; -1 for a zombie, which has ended, and 0 on systems without /proc. */
function startOf(pid: number): number {
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

/** Where this project keeps what takes its time to build or to fetch, for all its checkouts. */
// https://specifications.freedesktop.org/basedir-spec: a relative XDG_CACHE_HOME is to be ignored.
/**
 * `$XDG_CACHE_HOME/breakwater`, else `~/.cache/breakwater`; a relative XDG_CACHE_HOME is passed over, as its standard
 * asks.
 */
export function cacheFolder({ XDG_CACHE_HOME: xdg, HOME: home }: NodeJS.ProcessEnv): string {
  return join(xdg && isAbsolute(xdg) ? xdg : join(home || homedir(), '.cache'), 'breakwater')
}
