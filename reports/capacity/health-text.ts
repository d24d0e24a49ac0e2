import type { GeneratorHealth, TargetHealth, TrialResult } from '../../contract/capacity.ts'
import { figure, percent } from '../objective-text.ts'

/** What the load generator did, in the trial in which it was busiest: what could not be read is left out. */
export function generatorText(health: GeneratorHealth, generatorLagMs: number | null): string {
  const { cpuCores, cpuCoresMax, machineBusy, throttledShare } = health
  const { openFilesMax, openFilesLimit, portsUsedMax, portsMax } = health
  return [
    cpuCores !== null && `k6 kept ${cores(cpuCores)} of ${cores(cpuCoresMax)} cores busy`,
    machineBusy !== null && `the machine was ${percent(Math.min(1, machineBusy))} busy`,
    throttledShare !== null && `its limit of cores stopped it in ${percent(throttledShare)} of its periods`,
    generatorLagMs !== null && `k6 woke a VU up to ${figure(generatorLagMs)} ms late (p99)`,
    openFilesMax !== null && `${ofLimit(openFilesMax, openFilesLimit)} open files`,
    portsUsedMax !== null && `${ofLimit(portsUsedMax, portsMax)} ports`,
    health.residentMbMax !== null && `${figure(health.residentMbMax)} MB`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ')
}

/** What the target told of itself. */
export function targetText({ cpuCores, eventLoopLagMs, queueMax }: TargetHealth): string {
  return [
    cpuCores !== null && `${cores(cpuCores)} cores busy`,
    eventLoopLagMs !== null && `its event loop up to ${figure(eventLoopLagMs)} ms late (p99)`,
    queueMax !== null && `at most ${figure(queueMax)} requests waiting`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ')
}

/** The trial of the greatest load among those that were judged: there the figures of both ends are greatest. */
export function busiestTrial(trials: readonly TrialResult[]): TrialResult | undefined {
  return trials
    .filter(({ outcome, seconds }) => outcome !== 'unjudged' && seconds > 0)
    .reduce<TrialResult | undefined>(
      (best, trial) =>
        best === undefined || trial.requestsPerSecond > best.requestsPerSecond ? trial : best,
      undefined,
    )
}

function ofLimit(used: number, limit: number | null): string {
  return limit === null ? String(used) : `${used} of ${limit}`
}

function cores(number: number): string {
  return String(Number(number.toFixed(2)))
}
