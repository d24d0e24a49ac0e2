import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'

/** Of Linux, whatever the kernel's own ticks are: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const TICK_MS = 10

/** Reads processes and machine from Linux's /proc: a few small files for each process, and one for each of its threads. */
export function createProcReader({
  proc = '/proc',
  cgroups = '/sys/fs/cgroup',
}: {
  proc?: string
  cgroups?: string
} = {}): ReadGenerator {
  /** Of threads that have ended too. */
  const delaysMs = new Map<string, number>()

  const readProcess = (pid: number): ProcessSample | null => {
    const folder = join(proc, String(pid))
    const stat = textOf(join(folder, 'stat'))
    if (stat === null) return null
    return {
      cpuMs: cpuMsOf(stat),
      runDelayMs: runDelayMs(folder),
      openFiles: namesIn(join(folder, 'fd'))?.length ?? null,
      openFilesLimit: figure(textOf(join(folder, 'limits')), /^Max open files +(\d+)/m),
      residentMb: ofKilobytes(figure(textOf(join(folder, 'status')), /^VmRSS:\s+(\d+) kB/m)),
    }
  }
  const runDelayMs = (folder: string): number | null => {
    const threads = namesIn(join(folder, 'task')) ?? []
    for (const thread of threads) {
      const file = join(folder, 'task', thread, 'schedstat')
      const nanoseconds = figure(textOf(file), /^\d+ (\d+)/)
      if (nanoseconds !== null) delaysMs.set(file, nanoseconds / 1e6)
    }
    const all = [...delaysMs].filter(([file]) => file.startsWith(`${folder}/`))
    return all.length === 0 ? null : all.reduce((sum, [, ms]) => sum + ms, 0)
  }

  return async (pids): Promise<GeneratorSample> => {
    const processes = new Map<number, ProcessSample>()
    for (const pid of pids) {
      const sample = readProcess(pid)
      if (sample) processes.set(pid, sample)
    }
    const [first = 'self'] = processes.keys()
    return {
      atMs: Date.now(),
      processes,
      machine: machineOf(textOf(join(proc, 'stat'))),
      coresMax: Math.min(allowedCores(join(proc, String(first))), quotaCores({ proc, cgroups, pid: first })),
      timeWaitSockets: figure(textOf(join(proc, 'net/sockstat')), /^TCP:.* tw (\d+)/m),
      ephemeralPorts: ephemeralPorts(proc),
    }
  }
}

/** Ports that a connection may be given by itself. */
export function ephemeralPorts(proc = '/proc'): number | null {
  const range = textOf(join(proc, 'sys/net/ipv4/ip_local_port_range'))?.trim().split(/\s+/).map(Number)
  const [from, to] = range ?? []
  return from === undefined || to === undefined ? null : to - from + 1
}

/** The name of the program, in parentheses, may have spaces and parentheses of its own. */
function cpuMsOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Time that a hypervisor took is busy: nobody here had it. That of guests is within that of users. */
function machineOf(stat: string | null): GeneratorSample['machine'] {
  const [user, nice, system, idle, wait, irq, softIrq, steal] = (/^cpu +(.+)$/m.exec(stat ?? '')?.[1] ?? '')
    .split(' ')
    .map((ticks) => Number(ticks) * TICK_MS)
  if (user === undefined || idle === undefined) return null
  const busyMs = [user, nice, system, irq, softIrq, steal].reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
  return { busyMs, totalMs: busyMs + idle + (wait ?? 0) }
}

/** Such as `0-3,6`, by `taskset` or a container. */
function allowedCores(folder: string): number {
  const list = /^Cpus_allowed_list:\s+(\S+)/m.exec(textOf(join(folder, 'status')) ?? '')?.[1]
  if (list === undefined) return availableParallelism()
  const counts = list.split(',').map((range) => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return to - from + 1
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** What a control group, or one around it, leaves them: `200000 100000` is two cores, `max 100000` all there are. */
function quotaCores({ proc, cgroups, pid }: { proc: string; cgroups: string; pid: number | string }): number {
  const group = /^0::(\/.*)$/m.exec(textOf(join(proc, String(pid), 'cgroup')) ?? '')?.[1]
  let least = Number.POSITIVE_INFINITY
  for (let path = group; path !== undefined; path = path === '/' ? undefined : dirname(path)) {
    const limit = /^(\d+) (\d+)/.exec(textOf(join(cgroups, path, 'cpu.max')) ?? '')
    if (limit) least = Math.min(least, Number(limit[1]) / Number(limit[2]))
  }
  return least
}

function figure(text: string | null, pattern: RegExp): number | null {
  const digits = pattern.exec(text ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

function ofKilobytes(kilobytes: number | null): number | null {
  return kilobytes === null ? null : kilobytes / 1024
}

/** Null where there is none, or not for this user; processes end at any time. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder)
  } catch {
    return null
  }
}

/** What the processes of a load generator, and its machine, had used up at one time. Null: not to be had here. */
export type GeneratorSample = {
  /** Unix milliseconds. */
  atMs: number
  processes: ReadonlyMap<number, ProcessSample>
  /** Time of all cores together, since some beginning. */
  machine: { busyMs: number; totalMs: number } | null
  /** Cores that the processes may use, as far as the system limits them. */
  coresMax: number
  /** TCP sockets that are closed, and whose ports are not free yet. */
  timeWaitSockets: number | null
  ephemeralPorts: number | null
}

export type ProcessSample = {
  /** Processor time since it began. */
  cpuMs: number
  /** Time since it began that its threads could have run and had no core. */
  runDelayMs: number | null
  openFiles: number | null
  openFilesLimit: number | null
  residentMb: number | null
}

/** A process that has ended is left out. */
export type ReadGenerator = (pids: readonly number[]) => Promise<GeneratorSample>
