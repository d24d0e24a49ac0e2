/**
 * Decides if the load generator or the target caused a trial to miss an objective. Each signal explains some kinds of
 * misses; the generator is at fault only if its signals explain all of them.
 */

import type { GeneratorHealth, TargetHealth } from '../../contract/capacity.ts'

/** Kinds of misses. `throughput`: fewer iterations completed than were offered. */
export type Broken = 'latency' | 'feed' | 'errors' | 'rate-limited' | 'dropped' | 'throughput'

export type TrialSigns = {
  broken: readonly Broken[]
  excessMs: number | null
  /** p99 of how late sleeping VUs woke. */
  generatorLagMs: number | null
  vusMax: number
  requestsPerSecond: number
  generator: GeneratorHealth
  target: TargetHealth | null
  isTargetLocal: boolean
}

/** The reason is a part of a sentence. */
export type Limit<Signal extends string = string> = { signal: Signal; reason: string }

/**
 * The generator signals that explain all misses; null if the generator is not at fault. If nothing was missed, only a
 * late load counts.
 */
export function listGeneratorLimits(signs: TrialSigns): Limit<GeneratorSignal>[] | null {
  const found = Object.entries(GENERATOR_SIGNALS).flatMap(([signal, { explains, read }]) => {
    const reason = read(signs)
    return reason === null ? [] : [{ signal: signal as GeneratorSignal, reason, explains }] // as: a key of the table
  })
  if (signs.broken.length === 0) {
    const late = found.filter(({ signal }) => signal === 'lag')
    return late.length > 0 ? late.map(shown) : null
  }
  const relevant = found.filter(({ explains }) => explains.some((kind) => signs.broken.includes(kind)))
  const isExplained = (kind: Broken) => relevant.some(({ explains }) => explains.includes(kind))
  return signs.broken.every(isExplained) ? relevant.map(shown) : null
}

export function listTargetLimits(
  signs: Pick<TrialSigns, 'target' | 'requestsPerSecond'>,
): Limit<TargetSignal>[] {
  const { target } = signs
  if (target === null) return []
  return Object.entries(TARGET_SIGNALS).flatMap(([signal, read]) => {
    const reason = read({ ...target, requestsPerSecond: signs.requestsPerSecond })
    return reason === null ? [] : [{ signal: signal as TargetSignal, reason }] // as: a key of the table
  })
}

export const THRESHOLDS = {
  /**
   * Share of the cores that k6 may use. Above it, queues grow within k6: its Go scheduler shares out time, and
   * garbage collection runs.
   */
  cpuShare: 0.9,
  /** Cores that k6 waits for, as a share of those it may use, at least of one: on a busy node, every wake-up waits a little. */
  starvedShare: 0.2,
  /** As a share of its running time. */
  starvedTurns: 0.5,
  /** Share of the active scheduler periods. An objective on p95 notices this many. */
  throttledShare: 0.05,
  /** Share of the active scheduler periods at which requests wait more often than VUs wake. */
  throttledMuch: 0.25,
  machineBusy: 0.95,
  /** Share of the runners. An objective on p95 notices this many. */
  runnersShare: 0.05,
  /** A load this late is not the offered load. */
  lagMs: 100,
  /** A request waits about four times for k6: to start, to write, to read, and to continue in its script. */
  turnsOfRequest: 4,
  /** Share of open files or ephemeral ports; the next burst may find none. */
  shareOfTable: 0.95,
  queueSeconds: 0.1,
  targetLagMs: 50,
  /** Share of one core, because all work runs in one event loop. */
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
    // If latencies exceed their limits, all VUs wait for the target, however many there are.
    read: ({ broken, vusMax }) =>
      broken.includes('dropped') && !broken.includes('latency') && !broken.includes('feed')
        ? `all ${count(vusMax)} VUs were busy, at latencies within the limits`
        : null,
  },
  cpu: {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) => {
      const { cpuCores, cpuCoresMax } = signs.generator
      if (cpuCores === null || cpuCores < THRESHOLDS.cpuShare * cpuCoresMax) return null
      return isDelayedBy(signs) || !isTargetFull(signs)
        ? `k6 kept ${cores(cpuCores)} of its ${cores(cpuCoresMax)} available cores busy`
        : null
    },
  },
  'run-queue': {
    explains: ['latency', 'feed', 'dropped', 'throughput'],
    read: (signs) => {
      const { cpuCores, cpuCoresMax, runQueueCores } = signs.generator
      if (cpuCores === null || runQueueCores === null) return null
      if (cpuCores >= THRESHOLDS.cpuShare * cpuCoresMax) return null
      // Threads of k6 either run or wait for a core, so k6 was never idle.
      const isNeverIdle = cpuCores + runQueueCores >= THRESHOLDS.cpuShare * cpuCoresMax
      // If k6 waited for more cores than it had, its measurements say nothing about the target.
      if (isNeverIdle && (runQueueCores >= cpuCores || isDelayedBy(signs))) return waitText(signs.generator)
      // Schedulers favor threads that slept, so a VU that wakes in time proves little: the target must show
      // saturation. A k6 that was starved for part of the trial is idle for the rest.
      const isStarved =
        runQueueCores >= THRESHOLDS.starvedShare * Math.max(1, cpuCoresMax) &&
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
        ? `the CPU limit throttled k6 in ${percent(throttledShare)} of its active periods`
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
        ? `k6 had ${count(openFilesMax ?? 0)} of ${count(openFilesLimit ?? 0)} allowed files open`
        : null,
  },
  ports: {
    explains: ['errors', 'dropped', 'throughput'],
    read: ({ generator: { portsUsedMax, portsMax } }) =>
      isFull(portsUsedMax, portsMax)
        ? `${count(portsUsedMax ?? 0)} of the ${count(portsMax ?? 0)} ephemeral ports were in use`
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
      ? `the target has one event loop and kept ${cores(cpuCores)} cores busy`
      : null,
  'event-loop': ({ eventLoopLagMs }) =>
    eventLoopLagMs !== null && eventLoopLagMs >= THRESHOLDS.targetLagMs
      ? `the target's event loop ran up to ${count(eventLoopLagMs)} ms late (p99)`
      : null,
}

/** True if delays within k6 explain the excess latency. A queue in the target makes latency far longer. */
function isDelayedBy({ excessMs, generatorLagMs }: TrialSigns): boolean {
  return (
    excessMs === null || generatorLagMs === null || excessMs <= THRESHOLDS.turnsOfRequest * generatorLagMs
  )
}

/**
 * True if the target itself saturated on a full machine: it uses all of its core, or its queue exceeds its event loop
 * delay. A queue also grows if other processes take its core; its event loop is late then.
 */
function isTargetFull(signs: TrialSigns): boolean {
  const found = new Set(listTargetLimits(signs).map(({ signal }) => signal))
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

function shown({ signal, reason }: Limit<GeneratorSignal>): Limit<GeneratorSignal> {
  return { signal, reason }
}

const count = (number: number) => Math.round(number).toLocaleString('en')
const cores = (number: number) => String(Number(number < 1 ? number.toPrecision(2) : number.toFixed(1)))
const percent = (share: number) => `${Math.round(share * 100)} %`

/**
 * Like `listGeneratorLimits`, for runners with their own limits: each one is judged by its own figures, because the sum
 * of all hides one that saturated. Too few of them explain no percentile over all requests.
 */
export function listRunnerLimits(
  signs: TrialSigns,
  runners: readonly GeneratorHealth[],
): Limit<GeneratorSignal>[] | null {
  const saturated = runners.flatMap((generator, index) => {
    const own = listGeneratorLimits({ ...signs, generator })?.filter(({ signal }) => OWN.includes(signal))
    return own === undefined || own.length === 0 ? [] : [{ runner: index + 1, limits: own }]
  })
  const [first] = saturated
  if (first !== undefined && saturated.length >= THRESHOLDS.runnersShare * runners.length) {
    const many = saturated.length === 1 ? '' : ` (${saturated.length} of ${runners.length} runners saturated)`
    return first.limits.map(({ signal, reason }) => ({
      signal,
      reason: `runner ${first.runner}: ${reason}${many}`,
    }))
  }
  const together = { ...signs.generator, cpuCores: null, throttledShare: null }
  return listGeneratorLimits({ ...signs, generator: together })
}

/** Signals of a process. The others are about all of them together. */
const OWN: readonly GeneratorSignal[] = ['cpu', 'run-queue', 'throttled', 'files', 'ports']

/** Share of the offered iterations that may be missing at the end anyway. */
const SHORTFALL_SHARE = 0.01
/** One may complete just outside the whole seconds. */
const SHORTFALL_CLIENTS = 1
const NOISE_DEVIATIONS = 2

/**
 * True if fewer iterations completed than were offered, so that clients wait: in a short trial this shows overload
 * before latency does. As many iterations are in progress at both ends (Little's law), except those that last longer than
 * the warm-up: none of those has completed before it is over. The allowance is two standard deviations of their number.
 */
export function fellBehind(options: {
  offered: number
  completed: number
  meanSeconds: number
  /** The mean of what iterations last longer than the warm-up. */
  unfinishedSeconds: number
  judgedSeconds: number
}): boolean {
  const { offered, completed, meanSeconds, unfinishedSeconds, judgedSeconds } = options
  const rate = offered / judgedSeconds
  const underWay = rate * Math.min(meanSeconds, judgedSeconds / 2)
  const allowance = SHORTFALL_CLIENTS + SHORTFALL_SHARE * offered + NOISE_DEVIATIONS * Math.sqrt(2 * underWay)
  return offered - completed - rate * unfinishedSeconds > allowance
}
