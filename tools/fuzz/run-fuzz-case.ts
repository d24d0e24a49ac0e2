import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findK6 } from '../../scripts/k6/find-k6.ts'
import { projectPath } from '../../scripts/project.ts'
import { type FuzzCase, writeEntries } from './fuzz-case.ts'
import { type HostileServer, NO_SERVER, startHostileServer } from './hostile-server.ts'
import {
  findViolations,
  leakingFiles,
  makeCaseFolder,
  type Outcome,
  PEAK_MB_MAX,
  snapshot,
  strayChanges,
  type Violation,
} from './judge-case.ts'
import { visitLiveView } from './visit-live-view.ts'
import type { WorkerRequest, WorkerResponse } from './worker.ts'

export type CaseResult = {
  violations: readonly Violation[]
  argv: readonly string[]
  /** Its exit code, or another outcome. */
  end: string
}

/** Uses `root` as its folder; keeps it after a violation, with the details in case.json. */
export async function runFuzzCase(
  fuzzCase: FuzzCase,
  { root, commands, keep }: { root: string; commands: Commands; keep: boolean },
): Promise<CaseResult> {
  const server = fuzzCase.server === null ? null : await startHostileServer(fuzzCase.server)
  try {
    const folder = makeCaseFolder(root)
    const placeholders = server?.placeholders ?? NO_SERVER
    writeEntries(folder.cwd, fuzzCase.entries, placeholders)
    if (server?.ca) writeFileSync(join(folder.cwd, 'ca.pem'), server.ca)
    const argv = fuzzCase.argv.map(
      (word) => (Object.hasOwn(placeholders, word) ? placeholders[word] : undefined) ?? word,
    )
    const before = snapshot(root)
    const request = {
      ...{ argv, cwd: folder.cwd, isServer: fuzzCase.isServer, endsWithinMs: fuzzCase.endsWithinMs },
      env: { ...(await environment(fuzzCase, server)), HOME: folder.home, TMPDIR: folder.tmp },
    }
    const run = await (fuzzCase.inProcess ? runProcess(request) : commands.inWorker(request))
    const after = snapshot(root)
    const outcome = {
      ...{ ...run, argv },
      // A killed process could not clean up.
      strays: run.ended.by === 'exit' ? strayChanges(before, after, fuzzCase.writes) : [],
      leaks: leakingFiles(root, before, after),
    }
    const violations = findViolations(outcome)
    if (violations.length > 0 || keep) {
      const { entries: _, server: plan, ...details } = fuzzCase
      writeFileSync(
        join(root, 'case.json'),
        `${JSON.stringify({ ...details, plan, violations, outcome }, null, 2)}\n`,
      )
    } else rmSync(root, { recursive: true, force: true })
    const { ended } = outcome
    return { violations, argv, end: ended.by === 'exit' ? String(ended.code) : ended.by }
  } finally {
    await server?.close()
  }
}

async function environment(
  { needsK6 }: FuzzCase,
  server: HostileServer | null,
): Promise<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    ...(server && {
      BREAKWATER_CONTROL_TOKEN: server.controlToken,
      BREAKWATER_API_TOKENS: server.apiTokens.join(','),
    }),
    // HOME is the case's own, without a k6 build.
    ...(needsK6 && { BREAKWATER_K6: await k6() }),
  }
}

function k6(): Promise<string> {
  return findK6({ env: process.env, k6SourceDir: projectPath('k6'), onProgress: console.error })
}

type CommandRun = Pick<Outcome, 'ended' | 'stdout' | 'stderr' | 'peakMb'>
type CommandRequest = WorkerRequest & { endsWithinMs: number }

const POLL_EVERY_MS = 25
/** A worker that holds more is replaced, so that all cases start alike. */
const RESIDENT_MB_MAX = 250

type Commands = { inWorker(request: CommandRequest): Promise<CommandRun>; close(): void }

/** One worker, started with its first command, and again after a command that broke it. */
export function openCommands(): Commands {
  let worker: ChildProcess | undefined
  const close = () => {
    worker?.kill('SIGKILL')
    worker = undefined
  }
  return {
    close,
    async inWorker(request) {
      worker ??= startWorker()
      const own = worker
      const responded = once(own, 'message').then(([answer]) => answer as WorkerResponse) // as: worker.ts sends this
      const watched = watch(own, request.endsWithinMs)
      const { endsWithinMs: _, ...asked } = request
      own.send(asked)
      const first = await Promise.race([responded.catch(() => null), watched.ended])
      watched.stop()
      if (first === null || !('code' in first)) {
        close()
        return { ...(first ?? (await watched.ended)), ...watched.read() }
      }
      if (first.residentMb > RESIDENT_MB_MAX) close()
      const printed = watched.read()
      return {
        ended: { by: 'exit', code: first.code },
        stdout: first.stdout + printed.stdout,
        stderr: first.stderr + printed.stderr,
        peakMb: first.peakMb,
      }
    },
  }
}

function startWorker(): ChildProcess {
  const script = projectPath('tools/fuzz/worker.ts')
  return spawn(process.execPath, ['--import', './tools/typescript.mjs', script], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    cwd: projectPath('.'),
  })
}

async function runProcess(request: CommandRequest): Promise<CommandRun> {
  const { argv, cwd, env, isServer, endsWithinMs } = request
  const child = spawn(process.execPath, [projectPath('scripts/breakwater.mjs'), ...argv], {
    ...{ cwd, env, stdio: ['ignore', 'pipe', 'pipe'] },
  })
  let shown = ''
  if (isServer)
    child.stdout?.once('data', async (printed: Buffer) => {
      shown = await visitLiveView(String(printed)).catch((error: unknown) => `internal error: ${error}\n`)
      child.kill('SIGTERM')
    })
  const watched = watch(child, endsWithinMs)
  const ended = await watched.ended
  watched.stop()
  const { stdout, ...read } = watched.read()
  return { ...ended, ...read, stdout: stdout + shown }
}

type Ended = Pick<Outcome, 'ended'>

/** Collects a process' output and watches its memory, until it exits or has to be killed. */
function watch(child: ChildProcess, endsWithinMs: number) {
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const keepOut = (chunk: Buffer) => stdout.push(chunk)
  const keepErr = (chunk: Buffer) => stderr.push(chunk)
  child.stdout?.on('data', keepOut)
  child.stderr?.on('data', keepErr)
  let peakMb = 0
  let stop = () => {}
  const ended = new Promise<Ended>((resolve) => {
    const onClose = (code: number | null, signal: string | null) =>
      resolve({ ended: code === null ? { by: 'signal', signal: signal ?? '' } : { by: 'exit', code } })
    child.on('close', onClose)
    const kill = (by: 'late' | 'large') => {
      for (const pid of listProcessTree(child.pid ?? 0).reverse()) killQuietly(pid)
      resolve({ ended: { by } })
    }
    const late = setTimeout(() => kill('late'), endsWithinMs)
    const check = setInterval(() => {
      for (const pid of listProcessTree(child.pid ?? 0)) peakMb = Math.max(peakMb, readPeakMemory(pid))
      // Killed at twice the limit only: its peak is checked afterwards.
      if (peakMb > 2 * PEAK_MB_MAX) kill('large')
    }, POLL_EVERY_MS)
    stop = () => {
      clearTimeout(late)
      clearInterval(check)
      child.off('close', onClose)
      child.stdout?.off('data', keepOut)
      child.stderr?.off('data', keepErr)
    }
  })
  return {
    ended,
    stop: () => stop(),
    read: () => ({ stdout: String(Buffer.concat(stdout)), stderr: String(Buffer.concat(stderr)), peakMb }),
  }
}

/** A process and its descendants, parents first. */
function listProcessTree(pid: number): number[] {
  const children = readQuietly(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => listProcessTree(Number(child)))]
}

function readPeakMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readQuietly(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

/** The process may have exited. */
function readQuietly(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has exited.
  }
}
