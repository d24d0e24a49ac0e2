import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

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
