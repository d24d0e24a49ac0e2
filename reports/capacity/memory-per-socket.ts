import type { MemoryPerSocket, TargetMemory, TrialResult } from '../../contract/capacity.ts'

export type MemoryFit =
  | { memoryPerSocket: MemoryPerSocket; memoryReason: null }
  | { memoryPerSocket: null; memoryReason: string }

type Point = { sockets: number; bytes: number }

/** With the memory before the first socket, two more points than a line has parameters. */
const TRIALS_MIN = 3
/** A standard error above this share of the figure means that sockets do not explain the growth. */
const ERROR_SHARE_MAX = 0.2
/** Growth without more sockets, as a share of the growth with them. */
const DRIFT_SHARE_MAX = 0.2
const OPEN_SHARE = 0.99

/**
 * Fits a line to the memory of the target's process by sockets. A process keeps memory that it has freed, so only trials with more
 * sockets than all before count, and the memory before the first one. If it also grows while no more sockets open, such as by a
 * cache or a leak, the cause is unknown.
 */
export function fitMemory(trials: readonly TrialResult[]): MemoryFit {
  const measured = trials.filter(isMeasured)
  const [first] = measured
  if (first === undefined) return omit('the target shows no memory of its process')
  const records = measured.filter(
    (trial, index) => isOpen(trial) && measured.slice(0, index).every((each) => hasFewer(each, trial)),
  )
  const last = records.at(-1)
  if (last === undefined || records.length < TRIALS_MIN)
    return omit(
      `a fit needs ${TRIALS_MIN} trials with more sockets than all before them, and has ${records.length}`,
    )
  const start = { sockets: 0, bytes: first.memory.beforeBytes }
  const { slope, standardError } = fitLine([start, ...records.map(toPoint)])
  if (slope <= 0 || standardError > ERROR_SHARE_MAX * slope)
    return omit('it does not grow evenly with the sockets')
  const later = measured.slice(measured.indexOf(last) + 1)
  const next = later.findIndex((trial) => hasFewer(last, trial))
  const same = later.slice(0, next === -1 ? undefined : next).map(({ memory }) => memory.afterBytes)
  const grown = last.memory.afterBytes - start.bytes
  if (Math.max(0, ...same) - last.memory.afterBytes > DRIFT_SHARE_MAX * grown)
    return omit('it also grows without more sockets')
  return {
    memoryPerSocket: {
      kind: first.memory.kind,
      bytes: slope,
      standardError,
      trials: records.map(({ trial }) => trial),
      socketsMax: last.memory.sockets,
    },
    memoryReason: null,
  }
}

function omit(memoryReason: string): MemoryFit {
  return { memoryPerSocket: null, memoryReason }
}

type MeasuredTrial = TrialResult & { memory: TargetMemory }

function isMeasured(trial: TrialResult): trial is MeasuredTrial {
  return trial.memory !== undefined
}

/** After a cut, sockets are not all open. */
function isOpen({ ended, throughput, rate, recoverWithinSeconds }: TrialResult): boolean {
  return ended === 'completed' && recoverWithinSeconds === undefined && throughput >= OPEN_SHARE * rate
}

function hasFewer(one: MeasuredTrial, other: MeasuredTrial): boolean {
  return one.memory.sockets < other.memory.sockets
}

function toPoint({ memory }: MeasuredTrial): Point {
  return { sockets: memory.sockets, bytes: memory.afterBytes }
}

/** Least squares. */
function fitLine(points: readonly Point[]): { slope: number; standardError: number } {
  const mean = (read: (point: Point) => number) =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length
  const [meanSockets, meanBytes] = [mean(({ sockets }) => sockets), mean(({ bytes }) => bytes)]
  const spread = points.length * mean(({ sockets }) => (sockets - meanSockets) ** 2)
  const slope =
    (points.length * mean(({ sockets, bytes }) => (sockets - meanSockets) * (bytes - meanBytes))) / spread
  const residuals = mean(({ sockets, bytes }) => (bytes - meanBytes - slope * (sockets - meanSockets)) ** 2)
  return { slope, standardError: Math.sqrt((points.length * residuals) / (points.length - 2) / spread) }
}
