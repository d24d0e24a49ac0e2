import { type ChildProcess, spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { atExit } from '../at-exit.ts'
import { logDetail } from '../progress/detail.ts'
import { shellLine } from '../terminal-text.ts'
import { exitMeaning, k6Env } from './k6-args.ts'

export type RunK6Options = {
  binary: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  /** Prefixes of the K6_ settings that k6 may see; default: none. */
  k6EnvPrefixes?: readonly string[]
  /** Number of k6 processes that run at once, including this one; default: 1. */
  processes?: number
  cwd: string
  /** Time limit, after which the run is stopped like an abort. */
  deadlineMs: number
  /** How long k6 may take to exit after SIGINT, and again after SIGTERM. */
  graceMs: number
  stdoutFile: string
  stderrFile: string
  signal?: AbortSignal
  onLine?: (line: string) => void
}

export type K6Run = {
  exitCode: number | null
  signal: NodeJS.Signals | null
  reason: 'finished' | 'deadline' | 'interrupted'
  startedAtMs: number
  finishedAtMs: number
  meaning: string
}

/**
 * Runs k6 and waits until it has exited. At the deadline or on abort, k6 gets SIGINT (ends gracefully and completes its
 * files), then SIGTERM (exits at once), then SIGKILL, because k6 may wait forever for a close frame. Its output goes to
 * the given files. Throws a BreakwaterError (exit code 3) if k6 cannot be started.
 * If this process exits first, k6 is killed. If this process is killed, k6 gets the same signals within seconds, so it
 * still completes its series file.
 */
export async function runK6(options: RunK6Options): Promise<K6Run> {
  const files = [await open(options.stdoutFile, 'w'), await open(options.stderrFile, 'w')] as const
  try {
    return await superviseK6(options, files)
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
}

async function superviseK6(options: RunK6Options, files: readonly [FileHandle, FileHandle]): Promise<K6Run> {
  const startedAtMs = Date.now()
  logDetail(`starting k6: ${shellLine([options.binary, ...options.args])}`)
  logDetail(`output of k6: ${options.stdoutFile}, ${options.stderrFile}`)
  const child = spawn(options.binary, options.args, {
    cwd: options.cwd,
    env: k6Env(options.env, { k6Prefixes: options.k6EnvPrefixes, processes: options.processes }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C on a terminal reaches the whole process group, and a second SIGINT makes k6 exit before it completes its
    // files. Detached, k6 gets only the signals that this process sends.
    detached: true,
  })
  writeOutput(child.stdout, files[0], options.onLine)
  writeOutput(child.stderr, files[1], options.onLine)

  const stopWatcher = child.pid === undefined ? () => {} : endWithParent(child.pid)
  const kill = () => {
    stopWatcher()
    child.kill('SIGKILL')
  }
  const cancelKill = atExit(kill)
  const ended = waitForExit(child, options.binary)
  const stopping = stopOnDemand(child, options)
  try {
    const { exitCode, signal } = await ended
    const meaning = exitMeaning(exitCode, signal)
    logDetail(`k6 exited: ${meaning}, after ${((Date.now() - startedAtMs) / 1000).toFixed(2)} s`)
    return { exitCode, signal, reason: stopping.reason(), startedAtMs, finishedAtMs: Date.now(), meaning }
  } finally {
    stopWatcher()
    stopping.release()
    cancelKill()
  }
}

// Writes synchronously, so that a flood slows k6 down instead of filling this process's memory. On a full disk the rest
// is read and dropped, because a closed pipe would kill k6.
function writeOutput(output: Readable, file: FileHandle, onLine: RunK6Options['onLine']): void {
  let full = false
  output.on('data', (chunk: Buffer) => {
    if (full) return
    try {
      for (let done = 0; done < chunk.length; ) done += writeSync(file.fd, chunk, done)
    } catch {
      full = true
    }
  })
  if (onLine !== undefined) createInterface({ input: output }).on('line', onLine)
}

function waitForExit(child: ChildProcess, binary: string): Promise<Pick<K6Run, 'exitCode' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const hint =
        'Run the command again to rebuild k6, or set BREAKWATER_K6 to a k6 binary that runs on this machine.'
      reject(
        new BreakwaterError(`k6 could not be started: ${binary}`, {
          hint,
          exitCode: EXIT.environment,
          cause,
        }),
      )
    })
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
  })
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const

function stopOnDemand(child: ChildProcess, { deadlineMs, graceMs, signal: abort }: RunK6Options) {
  let reason: K6Run['reason'] = 'finished'
  let timer: NodeJS.Timeout | undefined

  const stop = (why: K6Run['reason']) => {
    if (reason !== 'finished' || hasEnded(child)) return
    reason = why
    send(0)
  }
  const send = (step: number) => {
    const next = STOP_SIGNALS[step]
    if (next === undefined) return
    child.kill(next)
    clearTimeout(timer)
    timer = setTimeout(send, graceMs, step + 1)
  }
  const onAbort = () => stop('interrupted')

  timer = setTimeout(stop, deadlineMs, 'deadline')
  abort?.addEventListener('abort', onAbort)
  if (abort?.aborted) onAbort()
  return {
    reason: () => reason,
    release: () => {
      clearTimeout(timer)
      abort?.removeEventListener('abort', onAbort)
    },
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Delay between the signals after this process ends, in seconds; k6 is gone within 10 s. */
const STEP_SECONDS = 3

/** Waits in `read`, whose standard input closes when this process exits for any reason; then stops k6. */
const SCRIPT =
  'read -r line; for signal in INT TERM KILL; do kill -s "$signal" "$1" || exit 0; sleep "$2"; done'

/**
 * Stops a process, SIGINT first, if this process is killed and cannot do it itself. Returns a function that ends the
 * watch. Does nothing on a system without sh.
 */
export function endWithParent(pid: number, { stepSeconds = STEP_SECONDS } = {}): () => void {
  const watcher = spawn('sh', ['-c', SCRIPT, 'sh', String(pid), String(stepSeconds)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C and signals to the process group must not reach it.
    detached: true,
  })
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}
