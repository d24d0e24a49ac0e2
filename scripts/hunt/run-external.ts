/** Runs a client that is a program of its own, in real time: started for each run, or already running. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { readRun } from '../../hunt/read-run.ts'
import { type HuntWorld, type RunSchedule, toPlan } from '../../hunt/schedule.ts'
import type { JournalEntry } from '../../simulator/activity-journal.ts'
import type { FaultPlan } from '../../simulator/faults/fault-plan.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { atExit } from '../at-exit.ts'
import { type Io, orInterrupted } from '../io.ts'
import { makeScratchFolder, scratchFailure } from '../make-folder.ts'
import { writeProfile } from '../stub/write-profile.ts'

const PLAN = 'Schedule of a hunt'
/** Time to end after SIGTERM. */
const GRACE_MS = 2000

export type GivenClient = {
  io: Io
  /** A shell command; without one, the client is already running and uses these ports. */
  client?: string
  port: number
  feedPort: number
  parallel: number
  /**
   * Starts time and faults with the first request of the client, observes until the end of the run even if the client exits
   * earlier, and what it does when it is stopped.
   */
  isExamined?: true
}

/** Calls `use` with a runner of the client, and the number of runs that are possible at the same time. */
export async function withRunner<Result>(
  given: GivenClient,
  worlds: readonly HuntWorld[],
  use: (run: RunSchedule, parallel: number) => Promise<Result>,
): Promise<Result> {
  const { io, client: command, port, feedPort, parallel, isExamined } = given
  if (command !== undefined) return withCommandRunner({ ...given, command }, (run) => use(run, parallel))
  const [world, ...others] = worlds
  if (!world || others.length > 0) {
    throw new BreakwaterError('hunt: several --choices need --client', {
      hint: 'The stub of a client that is already running keeps its choices. Name one set, or start the client with --client.',
    })
  }
  const folder = await makeScratchFolder('hunt')
  let stub: Stub | undefined
  try {
    stub = await startHuntStub(world, { restPort: port, feedPort })
    const file = join(folder, 'stub.json')
    await writeScratchProfile(stub, file)
    const { baseUrl, wsUrl } = stub.profile
    io.log(`stub ${baseUrl}, feed ${wsUrl}; API tokens ${stub.apiTokens.join(', ')}`)
    io.log(`profile, with wallets next to it: ${file}`)
    return await use(createAttachedRunner({ stub, io, ...(isExamined && { isExamined }) }), 1)
  } finally {
    await stub?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Starts a new stub and the client for each run, so that runs can be parallel. */
export async function withCommandRunner<Result>(
  { command, io, isExamined }: { command: string } & Pick<GivenClient, 'io' | 'isExamined'>,
  use: (run: RunSchedule) => Promise<Result>,
): Promise<Result> {
  const folder = await makeScratchFolder('hunt')
  let started = 0
  const run: RunSchedule = async (schedule, world) => {
    const stub = await startHuntStub(world)
    try {
      const file = join(folder, `stub-${++started}.json`)
      await writeScratchProfile(stub, file)
      const plan = toPlan(schedule, PLAN)
      if (plan) stub.inProcess.faults.apply(plan)
      const { baseUrl, wsUrl } = stub.profile
      const client = startClient(command, io, {
        BREAKWATER_PROFILE: file,
        BREAKWATER_BASE_URL: baseUrl,
        BREAKWATER_WS_URL: wsUrl,
        BREAKWATER_API_TOKEN: stub.apiTokens[0] ?? '',
      })
      try {
        let clientEnd: string | null = null
        let isGone = false
        const ended = client.ended.then((end) => {
          clientEnd = end
          isGone = true
          const isBroken = end !== null && plan === null
          return isExamined && !isBroken ? pause(world.durationMs) : null
        })
        const isOver = () => isGone || io.interrupted.aborted
        const msMax = world.durationMs
        const isActive = !isExamined || (await untilActive(stub, { plan, msMax, isOver, after: 0 }))
        if (isActive) await untilFirst(io.interrupted, [ended, pause(world.durationMs)])
        const before = { clientEnd, clientCpuMs: client.cpuMs() }
        if (isExamined) await client.stop()
        return { ...readRun(stub), ...before }
      } finally {
        await client.stop()
      }
    } finally {
      await stub.close()
    }
  }
  try {
    return await use(run)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Throws a BreakwaterError (environment) about the temporary folder, because the user did not name the file. */
async function writeScratchProfile(stub: Stub, file: string): Promise<void> {
  await writeProfile(stub, { file, cwd: dirname(file) }).catch((error: unknown) => {
    throw scratchFailure(error instanceof BreakwaterError ? (error.cause ?? error) : error)
  })
}

const START_POLL_MS = 250
const ENTRIES_READ = 100

const isBegun = (entry: JournalEntry) => entry.kind !== 'socket' || entry.event === 'opened'

/** Starts the faults again until the client has sent something: a slow start takes none of their time. */
async function untilActive(
  { inProcess: { faults, journal } }: Stub,
  options: {
    plan: FaultPlan | null
    msMax: number
    isOver: () => boolean
    /** The journal's last entry from before the run. */
    after: number
  },
): Promise<boolean> {
  const { plan, msMax, isOver, after } = options
  const endMs = performance.now() + msMax
  // Not the end of a socket: the reset before the run closed it.
  const isActive = () => journal.read({ after, limit: ENTRIES_READ }).entries.some(isBegun)
  while (!isActive() && !isOver() && performance.now() < endMs) {
    if (plan) faults.apply(plan)
    await pause(START_POLL_MS)
  }
  return isActive()
}

/** For a client that someone else has started and pointed at `stub`, which is reset after each run. */
export function createAttachedRunner(options: { stub: Stub; io: Io; isExamined?: true }): RunSchedule {
  const { stub, io, isExamined } = options
  const { faults, journal, observing, gateway, reset } = stub.inProcess
  return async (schedule, { durationMs }) => {
    const before = observing?.observer.read({ after: 0, limit: 1 })
    const since = {
      finding: before?.last ?? 0,
      duties: before?.duties ?? {},
      entry: journal.read({ after: 0, limit: 1 }).last,
    }
    const plan = toPlan(schedule, PLAN)
    if (plan) faults.apply(plan)
    const isOver = () => io.interrupted.aborted
    const isActive =
      !isExamined || (await untilActive(stub, { plan, msMax: durationMs, isOver, after: since.entry }))
    if (isActive) await untilFirst(io.interrupted, [pause(durationMs)])
    const run = readRun(stub, since)
    faults.clear()
    // As the control API's reset: sockets are of the old world, and close with 1012.
    reset()
    gateway.restart()
    const isGone = plan !== null && !isActive && !io.interrupted.aborted
    return { ...run, clientEnd: isGone ? 'it sent nothing; restart it whenever it exits' : null }
  }
}

export function startHuntStub(
  { world, seed, choices }: HuntWorld,
  ports: { restPort?: number; feedPort?: number } = {},
): Promise<Stub> {
  return startStub({ world, seed, choices, mutant: null, pace: 'real', ...ports })
}

type ClientProcess = {
  /** Resolves when it has exited: with the reason if it failed, else with null. */
  ended: Promise<string | null>
  /** As of now. */
  cpuMs(): number
  stop(): Promise<void>
}

function startClient(command: string, io: Io, env: Record<string, string>): ClientProcess {
  const child = spawn('sh', ['-c', command], {
    cwd: io.cwd,
    env: { ...io.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own: the shell's children end with it, and Ctrl-C is passed on by `stop` only.
    detached: true,
  })
  let lastLine = ''
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim() !== '') lastLine = line.trim()
  })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('error', ({ message }) => resolve({ code: null, signal: message }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const kill = () => {
    signalGroup(child, 'SIGKILL')
    // A process that left the group may still hold it open.
    child.stderr.destroy()
  }
  const cancelKill = atExit(kill)
  return {
    ended: exited.then(({ code, signal }) =>
      code === 0
        ? null
        : [`it exited with ${signal ?? code}`, lastLine].filter((part) => part !== '').join(': '),
    ),
    cpuMs: () => measureGroupCpuMs(child.pid ?? 0),
    async stop() {
      signalGroup(child, 'SIGTERM')
      const timer = setTimeout(kill, GRACE_MS)
      await exited
      clearTimeout(timer)
      // Others of the group may have ignored the signal.
      kill()
      cancelKill()
    },
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The whole group has ended.
  }
}

const TICKS_PER_SECOND = 100

/** CPU time of the processes of a group, with their children that have ended; 0 on systems without /proc. */
export function measureGroupCpuMs(group: number): number {
  const names = existsSync('/proc/self/stat') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  const ticks = names.map((name) => {
    const fields = readStatFields(name)
    // User and system time, of the process and of its children.
    return Number(fields[2]) === group
      ? fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      : 0
  })
  return (ticks.reduce((sum, each) => sum + each, 0) * 1000) / TICKS_PER_SECOND
}

/** The fields of /proc/PID/stat after the name, which may contain anything; none if the process has ended. */
function readStatFields(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Resolves with what comes first; with null at Ctrl-C, so that what was seen until then is still reported. */
function untilFirst(interrupted: AbortSignal, candidates: readonly Promise<null>[]): Promise<null> {
  return orInterrupted(interrupted, Promise.race(candidates)).catch((error: unknown) => {
    if (interrupted.aborted) return null
    throw error
  })
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms).unref())
}
