import type { TrialFacts } from '../../contract/capacity.ts'
import type { Slice } from '../series/slice.ts'

/**
 * The part of the series that a trial is judged by. Stages of a profile are made by one load and share its tag: there the
 * seconds tell them apart. A trial whose judged part never began has an empty slice.
 */
export function judgedSlice({ trial, phase, judgedFrom, judgedTo }: TrialFacts): Slice {
  const tag = phase === 'stage' ? null : trial
  return { trial: tag, from: judgedFrom ?? 0, to: judgedFrom === null ? 0 : (judgedTo ?? judgedFrom) }
}
