import type { Capacity, TrialResult } from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'

/**
 * The trial that stands for a run where one figure of latency is asked for: the only one; else, of those that met the
 * objectives at the rate that was found, or at the highest, the last, which is the confirmation if there is one. Undefined
 * where none met them, and of a profile, which is judged as a whole.
 */
export function focusTrial(capacity: Capacity | null): TrialResult | undefined {
  const { trials = [], rate = null, atLeast = null } = capacity ?? {}
  if (trials.length === 1) return trials[0]
  if (trials.some(({ phase }) => phase === 'stage')) return undefined
  const met = trials.filter(({ outcome, phase }) => outcome === 'met' && phase !== 'warm-up')
  const highest = Math.max(...met.map((trial) => trial.rate))
  return met.findLast((trial) => trial.rate === (rate ?? atLeast ?? highest))
}

/** Of which trial the objectives and latencies of a report are; null: of the whole run. */
export function focusText(capacity: Capacity | null): string | null {
  const focus = focusTrial(capacity)
  if (focus === undefined) return null
  const what = focus.phase === 'confirmation' ? 'the confirmation' : `trial ${focus.trial}`
  return `of ${what}, at ${figure(focus.rate)} iterations a second`
}
