import type { Capacity, TrialResult } from '../../contract/capacity.ts'

/**
 * The trial that stands for a run where one figure of latency is asked for: the only one; else, of those that met the
 * objectives at the rate that was found, or at the highest, the last, which is the confirmation if there is one. Undefined
 * where none met them, and of a profile, which is judged as a whole.
 */
export function focusTrial({ trials, rate }: Pick<Capacity, 'trials' | 'rate'>): TrialResult | undefined {
  if (trials.length === 1) return trials[0]
  if (trials.some(({ phase }) => phase === 'stage')) return undefined
  const met = trials.filter(({ outcome, phase }) => outcome === 'met' && phase !== 'warm-up')
  const highest = Math.max(...met.map((trial) => trial.rate))
  return met.findLast((trial) => trial.rate === (rate ?? highest))
}
