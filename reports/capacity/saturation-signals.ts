/**
 * Who is to blame for a trial that missed an objective: the load generator, or the target. A table of signals; each says
 * which kinds of misses it explains, and the generator is to blame only where its signals explain all of them.
 */
import type { GeneratorHealth, TargetHealth } from '../../contract/capacity.ts'

/** What a trial missed, by kind. `throughput`: fewer iterations ended than were offered. */
export type Broken = 'latency' | 'feed' | 'errors' | 'refused' | 'dropped' | 'throughput'

export type TrialSigns = {
  broken: readonly Broken[]
  /** Of objectives on latency or on the feed's delay that were missed, the one missed by most: observed less its limit. */
  excessMs: number | null
  /** The 0.99 quantile of how late a VU woke that slept. */
  generatorLagMs: number | null
  vusMax: number
  requestsPerSecond: number
  generator: GeneratorHealth
  target: TargetHealth | null
  /** Whether the target runs on the machine that makes the load. */
  isTargetLocal: boolean
}

/** For people: a part of a sentence. */
export type Limit<Signal extends string = string> = { signal: Signal; because: string }

/** Where the generator is to blame, by what; null where it is not. Of a trial that missed nothing, only a late load counts. */
export function limitsOfGenerator(signs: TrialSigns): Limit<GeneratorSignal>[] | null {
  const found = Object.entries(GENERATOR_SIGNALS).flatMap(([signal, { explains, read }]) => {
    const because = read(signs)
    return because === null ? [] : [{ signal: signal as GeneratorSignal, because, explains }] // as: a key of the table
  })
  if (signs.broken.length === 0) {
    const late = found.filter(({ signal }) => signal === 'lag')
    return late.length > 0 ? late.map(shown) : null
  }
  const told = found.filter(({ explains }) => explains.some((kind) => signs.broken.includes(kind)))
  const isExplained = (kind: Broken) => told.some(({ explains }) => explains.includes(kind))
  return signs.broken.every(isExplained) ? told.map(shown) : null
}

/** What the target's own metrics show to be at its limit. */
export function limitsOfTarget(
  signs: Pick<TrialSigns, 'target' | 'requestsPerSecond'>,
): Limit<TargetSignal>[] {
  const { target } = signs
  if (target === null) return []
  return Object.entries(TARGET_SIGNALS).flatMap(([signal, read]) => {
    const because = read({ ...target, requestsPerSecond: signs.requestsPerSecond })
    return because === null ? [] : [{ signal: signal as TargetSignal, because }] // as: a key of the table
  })
}

export const THRESHOLDS = {
  /** Of the cores that k6 may use. Beyond it queues grow within k6: its Go scheduler hands out turns, and garbage is collected. */
  cpuShare: 0.9,
  /** Of the cores that k6 may use: what it waits for, and does not get. */
  starvedShare: 0.2,
  /** Of the time that it runs. */
  starvedTurns: 0.5,
  /** Of the periods in which it had work: an objective on one request in twenty sees it. */
  throttledShare: 0.05,
  /** Of those: requests take more turns then than VUs that wake. */
  throttledMuch: 0.25,
  /** Of the machine. */
  machineBusy: 0.95,
  /** A load that comes so late is not the load that was to be offered. */
  lagMs: 100,
  /** A request waits for its turn in k6 some four times: to begin, to write, to read, and to go on in its script. */
  turnsOfRequest: 4,
  /** Of open files, and of ephemeral ports: the next burst would find none. */
  shareOfTable: 0.95,
  /** Seconds of work in the target's queue. */
  queueSeconds: 0.1,
  targetLagMs: 50,
  /** Of one core, of a process that does all its work in one event loop. */
  targetCores: 0.9,
} as const

export type GeneratorSignal =
  | 'vus'
  | 'cpu'
  | 'run-queue'
  | 'throttled'
  | 'lag'
  | 'shared-machine'
  | 'files'
  | 'ports'

type Sign = { explains: readonly Broken[]; read(signs: TrialSigns): string | null }

export const GENERATOR_SIGNALS: Readonly<Record<GeneratorSignal, Sign>> = {
  vus: {
    explains: ['dropped', 'throughput'],
    // Beyond the limits of latency all VUs wait for the target, however many there are.
    read: ({ broken, vusMax }) =>
      broken.includes('dropped') && !broken.includes('latency') && !broken.includes('feed')
        ? `all ${count(vusMax)} VUs were at work, at latencies within the limits`
        : null,
  },
  cpu: {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) => {
      const { cpuCores, cpuCoresMax } = signs.generator
      if (cpuCores === null || cpuCores < THRESHOLDS.cpuShare * cpuCoresMax) return null
      return isDelayedBy(signs) || !isTargetFull(signs)
        ? `k6 kept ${cores(cpuCores)} of the ${cores(cpuCoresMax)} cores busy that it may use`
        : null
    },
  },
  'run-queue': {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) => {
      const { cpuCores, cpuCoresMax, runQueueCores } = signs.generator
      if (cpuCores === null || runQueueCores === null) return null
      if (cpuCores >= THRESHOLDS.cpuShare * cpuCoresMax) return null
      // Threads of k6 either run or wait for a core: it has no turn to give to what comes next.
      const isNeverIdle = cpuCores + runQueueCores >= THRESHOLDS.cpuShare * cpuCoresMax
      // With less than half of what it asks for, nothing that it measures is of the target.
      if (isNeverIdle && (runQueueCores >= cpuCores || isDelayedBy(signs))) return waitText(signs.generator)
      // A VU that wakes in time says little, as systems let those that slept go first: then the target must show that it is
      // at its end. A k6 that was starved for a part of the trial is idle for the rest.
      const isStarved =
        runQueueCores >= THRESHOLDS.starvedShare * cpuCoresMax &&
        (isNeverIdle || runQueueCores >= THRESHOLDS.starvedTurns * cpuCores)
      return isStarved && !isTargetFull(signs) ? waitText(signs.generator) : null
    },
  },
  throttled: {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) => {
      const { throttledShare } = signs.generator
      if (throttledShare === null || throttledShare < THRESHOLDS.throttledShare) return null
      const isMuch = throttledShare >= THRESHOLDS.throttledMuch && !isTargetFull(signs)
      return isMuch || isDelayedBy(signs)
        ? `its limit of cores stopped k6 in ${percent(throttledShare)} of the periods in which it had work`
        : null
    },
  },
  lag: {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) =>
      isDelayedBy(signs) && (signs.generatorLagMs ?? 0) >= THRESHOLDS.lagMs
        ? `k6 woke its VUs up to ${count(signs.generatorLagMs ?? 0)} ms late (p99)`
        : null,
  },
  'shared-machine': {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) => {
      const { machineBusy } = signs.generator
      if (!signs.isTargetLocal || machineBusy === null || machineBusy < THRESHOLDS.machineBusy) return null
      return isTargetFull(signs)
        ? null
        : `the machine was ${percent(machineBusy)} busy, and the target runs on it too`
    },
  },
  files: {
    explains: ['errors', 'dropped', 'throughput'],
    read: ({ generator: { openFilesMax, openFilesLimit } }) =>
      isFull(openFilesMax, openFilesLimit)
        ? `k6 had ${count(openFilesMax ?? 0)} of the ${count(openFilesLimit ?? 0)} files open that it may`
        : null,
  },
  ports: {
    explains: ['errors', 'dropped', 'throughput'],
    read: ({ generator: { portsUsedMax, portsMax } }) =>
      isFull(portsUsedMax, portsMax)
        ? `${count(portsUsedMax ?? 0)} of the ${count(portsMax ?? 0)} ephemeral ports were taken`
        : null,
  },
}

export type TargetSignal = 'queue' | 'cpu' | 'event-loop'

type TargetSigns = TargetHealth & { requestsPerSecond: number }

export const TARGET_SIGNALS: Readonly<Record<TargetSignal, (signs: TargetSigns) => string | null>> = {
  queue: ({ queueMax, requestsPerSecond }) =>
    queueMax !== null && queueMax > 0 && queueMax >= THRESHOLDS.queueSeconds * requestsPerSecond
      ? `${count(queueMax)} requests waited in the target's queue`
      : null,
  cpu: ({ cpuCores, eventLoopLagMs }) =>
    cpuCores !== null && eventLoopLagMs !== null && cpuCores >= THRESHOLDS.targetCores
      ? `the target, which has one event loop, kept ${cores(cpuCores)} cores busy`
      : null,
  'event-loop': ({ eventLoopLagMs }) =>
    eventLoopLagMs !== null && eventLoopLagMs >= THRESHOLDS.targetLagMs
      ? `the target's event loop ran up to ${count(eventLoopLagMs)} ms late (p99)`
      : null,
}

/** Whether turns that came late in k6 make up for what latencies are too long by. A queue of the target makes them far longer. */
function isDelayedBy({ excessMs, generatorLagMs }: TrialSigns): boolean {
  return (
    excessMs === null || generatorLagMs === null || excessMs <= THRESHOLDS.turnsOfRequest * generatorLagMs
  )
}

/**
 * Whether the target is at an end of its own, on a machine that is full: it has all of its core, or a queue that is longer
 * than what it came late by. A queue grows as well where others take its core; its event loop is late then.
 */
function isTargetFull(signs: TrialSigns): boolean {
  const found = new Set(limitsOfTarget(signs).map(({ signal }) => signal))
  if (found.has('cpu')) return true
  const delayMs = THRESHOLDS.turnsOfRequest * (signs.target?.eventLoopLagMs ?? 0)
  return found.has('queue') && (signs.excessMs === null || signs.excessMs > delayMs)
}

function waitText({ cpuCores, runQueueCores }: GeneratorHealth): string {
  return `k6 had ${cores(cpuCores ?? 0)} cores and waited for ${cores(runQueueCores ?? 0)} more`
}

function isFull(used: number | null, max: number | null): boolean {
  return used !== null && max !== null && used >= THRESHOLDS.shareOfTable * max
}

function shown({ signal, because }: Limit<GeneratorSignal>): Limit<GeneratorSignal> {
  return { signal, because }
}

const count = (number: number) => Math.round(number).toLocaleString('en')
const cores = (number: number) => String(Number(number < 1 ? number.toPrecision(2) : number.toFixed(1)))
const percent = (share: number) => `${Math.round(share * 100)} %`
