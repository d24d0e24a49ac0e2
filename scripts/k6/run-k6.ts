import { type ChildProcess, spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { BreakwaterError, EXIT } from '../../contract/breakwater-error.ts'
import { detail } from '../progress/detail.ts'
import { shellLine } from '../terminal-text.ts'
import { exitMeaning, k6Env } from './k6-args.ts'

export type RunK6Options = {
  binary: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  /** Beginnings of the K6_ settings of the environment that k6 may see: none, where left out. */
  envKept?: readonly string[]
  /** How many k6 run at once, this one included; 1 if left out. */
  processes?: number
  cwd: string
  /** After this long the run is ended as an abort would end it. */
  deadlineMs: number
  /** How long k6 has for each of: ending after SIGINT, and after SIGTERM. */
  graceMs: number
  stdoutFile: string
  stderrFile: string
  /** Ends the run early. */
  signal?: AbortSignal
  onLine?: (line: string) => void
}

export type K6Run = {
  /** Null if a signal killed k6. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** What ended the run: k6 itself, the deadline, or the abort signal. */
  reason: 'finished' | 'deadline' | 'interrupted'
  startedAtMs: number
  finishedAtMs: number
  /** The exit code in words. */
  meaning: string
}

/**
 * Runs k6 and outlives it: on deadline or abort k6 gets SIGINT (it ends gracefully and completes its files), then SIGTERM
 * (it exits at once), then SIGKILL: k6 may wait for ever on a peer that never answers a close frame. Its output is kept
 * in the given files. Throws a BreakwaterError (exit code 3) if k6 cannot be started.
 *
 * If this process ends first, k6 is killed. If this process is killed outright, k6 gets the same signals within seconds: it ends its
 * load, and completes its series file.
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
  detail(`k6 runs: ${shellLine([options.binary, ...options.args])}`)
  detail(`k6 says, while it runs: ${options.stdoutFile}, ${options.stderrFile}`)
  const child = spawn(options.binary, options.args, {
    cwd: options.cwd,
    env: k6Env(options.env, { kept: options.envKept, processes: options.processes }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C on a terminal goes to every process of the group, and a second SIGINT makes k6 exit at once, without the
    // end of its files: the only one that it gets must be ours.
    detached: true,
  })
  keepOutput(child.stdout, files[0], options.onLine)
  keepOutput(child.stderr, files[1], options.onLine)

  const endWatch = child.pid === undefined ? () => {} : endWithParent(child.pid)
  const kill = () => {
    endWatch()
    child.kill('SIGKILL')
  }
  process.once('exit', kill)
  const ended = endOf(child, options.binary)
  const stopping = stopOnDemand(child, options)
  try {
    const { exitCode, signal } = await ended
    const meaning = exitMeaning(exitCode, signal)
    detail(`k6 ended: ${meaning}, after ${((Date.now() - startedAtMs) / 1000).toFixed(2)} s`)
    return { exitCode, signal, reason: stopping.reason(), startedAtMs, finishedAtMs: Date.now(), meaning }
  } finally {
    endWatch()
    stopping.release()
    process.off('exit', kill)
  }
}

// Written synchronously, so that a flood slows k6 down instead of filling this process's memory. On a full disk the rest
// is read and dropped: a closed pipe would kill k6.
function keepOutput(output: Readable, file: FileHandle, onLine: RunK6Options['onLine']): void {
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

function endOf(child: ChildProcess, binary: string): Promise<Pick<K6Run, 'exitCode' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const hint =
        'Run the command again to look for k6 anew, or set BREAKWATER_K6 to one that runs on this machine.'
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

/** After the end of this process: k6 gets each signal this long after the one before, in seconds, and is gone before 10 s are over. */
const STEP_SECONDS = 3

/** Its input ends with the process that holds the other end, however that ended. */
const SCRIPT =
  'read -r line; for signal in INT TERM KILL; do kill -s "$signal" "$1" || exit 0; sleep "$2"; done'

/**
 * Ends a process, with SIGINT first, if this process is killed outright and so cannot end it itself. Returns the end of the watch, for
 * when that process has ended. Does nothing on a system without sh.
 */
export function endWithParent(pid: number, { stepSeconds = STEP_SECONDS } = {}): () => void {
  const watcher = spawn('sh', ['-c', SCRIPT, 'sh', String(pid), String(stepSeconds)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Neither Ctrl-C nor the end of a process group may reach it first.
    detached: true,
  })
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  return () => void watcher.kill('SIGKILL')
}
