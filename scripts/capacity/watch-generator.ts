import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { promisify } from 'node:util'
import type { GeneratorHealth } from '../../contract/capacity.ts'
import {
  createProcReader,
  ephemeralPorts,
  type GeneratorSample,
  type ProcessSample,
  type ReadGenerator,
} from './read-proc.ts'

/** Unix milliseconds. */
export type TimeWindow = { fromMs: number; toMs: number }

export type GeneratorWatch = {
  /** Over so much of a window as was watched. */
  health(window: TimeWindow): GeneratorHealth
  stop(): void
}

/** Watches what the processes of k6 and their machine use up. What cannot be read is null, and never an error. */
export function watchGenerator({
  pids,
  env,
  everyMs = 500,
  read = existsSync('/proc/self/stat') ? createProcReader() : createPsReader(),
}: {
  /** Those of k6; there may be none yet. */
  pids: () => readonly number[]
  /** What k6 gets as its environment. */
  env: NodeJS.ProcessEnv
  everyMs?: number
  read?: ReadGenerator
}): GeneratorWatch {
  const samples: GeneratorSample[] = []
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const sample = async () => {
    const taken = await read(pids()).catch(() => null)
    if (taken && taken.processes.size > 0) samples.push(taken)
    if (!isStopped) timer = setTimeout(sample, everyMs).unref()
  }
  void sample()
  return {
    health: (window) => healthOf({ samples, window, goProcessors: goProcessorsOf(env) }),
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** How many threads of one process Go lets run at a time, where its user says so. */
function goProcessorsOf({ GOMAXPROCS }: NodeJS.ProcessEnv): number {
  return /^[1-9][0-9]*$/.test(GOMAXPROCS ?? '') ? Number(GOMAXPROCS) : Number.POSITIVE_INFINITY
}

/** What the processes of the load generator did within the window; null for what could not be read. */
export function healthOf({
  samples,
  window,
  goProcessors,
}: {
  samples: readonly GeneratorSample[]
  window: TimeWindow
  goProcessors: number
}): GeneratorHealth {
  const within = samples.filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs)
  const first = within[0]
  const last = within.at(-1)
  const passedMs = first && last ? last.atMs - first.atMs : 0
  const most = (figure: (sample: GeneratorSample) => number | null) => {
    const all = within.map(figure).filter((value) => value !== null)
    return all.length === 0 ? null : Math.max(...all)
  }
  /** Of what grows: by how much a millisecond, over all processes that were there. */
  const growth = (figure: (process: ProcessSample) => number | null): number | null => {
    if (passedMs <= 0) return null
    const grown = [...totals(within, figure).values()]
    return grown.length === 0 ? null : grown.reduce((sum, { from, to }) => sum + to - from, 0) / passedMs
  }
  const machineMs = first?.machine && last?.machine ? last.machine.totalMs - first.machine.totalMs : 0
  const processes = most(({ processes }) => processes.size) ?? 1
  return {
    cpuCores: growth(({ cpuMs }) => cpuMs),
    cpuCoresMax: Math.min(goProcessors * processes, samples.at(-1)?.coresMax ?? availableParallelism()),
    machineBusy:
      first?.machine && last?.machine && machineMs > 0
        ? (last.machine.busyMs - first.machine.busyMs) / machineMs
        : null,
    runQueueCores: growth(({ runDelayMs }) => runDelayMs),
    throttledShare: null,
    // Of the process that has least left: each has a limit of its own.
    openFilesMax: most((sample) => greatest(sample, ({ openFiles }) => openFiles)),
    openFilesLimit: most((sample) => greatest(sample, ({ openFilesLimit }) => openFilesLimit)),
    // Nearly all that k6 has open are sockets.
    portsUsedMax: most((sample) => {
      const open = sumOf(sample, ({ openFiles }) => openFiles)
      return open === null || sample.timeWaitSockets === null ? null : open + sample.timeWaitSockets
    }),
    portsMax: most(({ ephemeralPorts }) => ephemeralPorts),
    residentMbMax: most((sample) => sumOf(sample, ({ residentMb }) => residentMb)),
  }
}

/** By process, what a figure was first and last. */
function totals(
  samples: readonly GeneratorSample[],
  figure: (process: ProcessSample) => number | null,
): Map<number, { from: number; to: number }> {
  const found = new Map<number, { from: number; to: number }>()
  for (const { processes } of samples) {
    for (const [pid, process] of processes) {
      const to = figure(process)
      if (to !== null) found.set(pid, { from: found.get(pid)?.from ?? to, to })
    }
  }
  return found
}

function figuresOf({ processes }: GeneratorSample, figure: (process: ProcessSample) => number | null) {
  return [...processes.values()].map(figure).filter((value) => value !== null)
}

function sumOf(sample: GeneratorSample, figure: (process: ProcessSample) => number | null): number | null {
  const all = figuresOf(sample, figure)
  return all.length === 0 ? null : all.reduce((sum, value) => sum + value, 0)
}

function greatest(sample: GeneratorSample, figure: (process: ProcessSample) => number | null): number | null {
  const all = figuresOf(sample, figure)
  return all.length === 0 ? null : Math.max(...all)
}

const run = promisify(execFile)

/** Reads processes by `ps`, as POSIX has it, and the machine by Node: where there is no /proc, such as macOS. */
export function createPsReader(): ReadGenerator {
  return async (pids): Promise<GeneratorSample> => {
    const args = ['-o', 'pid=', '-o', 'time=', '-o', 'rss=', '-p', pids.join(',')]
    // Its exit code is 1 where one of them has ended.
    const text = pids.length === 0 ? '' : await run('ps', args).then(outputOf, outputOf)
    return {
      atMs: Date.now(),
      processes: processesOf(text),
      machine: machineNow(),
      coresMax: availableParallelism(),
      timeWaitSockets: null,
      ephemeralPorts: null,
    }
  }
}

/** Lines of process, processor time and kilobytes. */
export function processesOf(text: string): Map<number, ProcessSample> {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/))
  return new Map(
    lines.flatMap(([pid, time, kilobytes]) =>
      time === undefined || kilobytes === undefined
        ? []
        : [
            [
              Number(pid),
              {
                cpuMs: timeMsOf(time),
                runDelayMs: null,
                openFiles: null,
                openFilesLimit: null,
                residentMb: Number(kilobytes) / 1024,
              },
            ],
          ],
    ),
  )
}

/** `[[days-]hours:]minutes:seconds`; macOS adds hundredths, and counts minutes on beyond 60. */
function timeMsOf(time: string): number {
  const [rest = '', days = '0'] = time.split('-').reverse()
  const seconds = rest.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return (Number(days) * 86_400 + seconds) * 1000
}

function machineNow(): GeneratorSample['machine'] {
  let busyMs = 0
  let idleMs = 0
  for (const { times } of cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq
    idleMs += times.idle
  }
  return { busyMs, totalMs: busyMs + idleMs }
}

function outputOf(ended: unknown): string {
  return String((ended as { stdout?: string }).stdout ?? '') // as: what execFile gives, and its errors
}

/** Of a machine, and of a process on it; null: not to be had here. */
type Provisions = { openFilesLimit: number | null; ephemeralPorts: number | null }

/** Files that k6 has open without any socket. */
const FILES_BESIDE_SOCKETS = 50

/** What a load may run out of, before it begins: a VU holds a connection, and perhaps a socket of the feed besides. */
export function generatorWarnings(
  { vusMax, instances, socketsPerVu = 1 }: { vusMax: number; instances: number; socketsPerVu?: number },
  { openFilesLimit, ephemeralPorts }: Provisions = provisions(),
): string[] {
  const sockets = vusMax * socketsPerVu
  const files = Math.ceil(sockets / instances) + FILES_BESIDE_SOCKETS
  const count = (number: number) => number.toLocaleString('en')
  return [
    ...(openFilesLimit !== null && files > openFilesLimit
      ? [
          `${count(vusMax)} VUs may need ${count(files)} open files in a k6 process, and it may have ${count(openFilesLimit)}: raise the hard limit (ulimit -Hn), take more --instances, or less --max-vus`,
        ]
      : []),
    ...(ephemeralPorts !== null && sockets > ephemeralPorts
      ? [
          `${count(vusMax)} VUs may need ${count(sockets)} ports, and there are ${count(ephemeralPorts)}: widen net.ipv4.ip_local_port_range, take another machine besides (breakwater merge), or less --max-vus`,
        ]
      : []),
  ]
}

/** The hard limit: Go programs raise theirs to it as they begin. */
function provisions(): Provisions {
  let limits = ''
  try {
    limits = readFileSync('/proc/self/limits', 'latin1')
  } catch {
    // Not Linux: nothing is known, and nothing warned of.
  }
  const hard = /^Max open files +\d+ +(\d+)/m.exec(limits)?.[1]
  return { openFilesLimit: hard === undefined ? null : Number(hard), ephemeralPorts: ephemeralPorts() }
}
