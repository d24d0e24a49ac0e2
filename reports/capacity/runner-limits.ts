import type { GeneratorHealth } from '../../contract/capacity.ts'
import {
  type GeneratorSignal,
  type Limit,
  listGeneratorLimits,
  THRESHOLDS,
  type TrialSigns,
} from './saturation-signals.ts'

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
