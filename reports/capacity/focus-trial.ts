import type { TrialResult } from '../../contract/capacity.ts'

/**
 * The trial that stands for a run where one figure of latency is asked for: the only one; else the last confirmation that
 * held; else the highest load that met the objectives. Undefined where none did, and of a profile, which is judged as a whole.
 */
export function focusTrial(trials: readonly TrialResult[]): TrialResult | undefined {
  if (trials.length === 1) return trials[0]
  if (trials.some(({ phase }) => phase === 'stage')) return undefined
  const met = trials.filter(({ outcome }) => outcome === 'met')
  const confirmation = met.findLast(({ phase }) => phase === 'confirmation')
  return confirmation ?? met.toSorted((a, b) => a.rate - b.rate).at(-1)
}
