import type { TrialResult } from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import type { Finding } from './conclude.ts'

/** A profile of stages finds no capacity: it says which stages met the objectives. */
export function concludeStages(options: { results: readonly TrialResult[]; interrupted: boolean }): Finding {
  const { results, interrupted } = options
  const met = results.filter(({ outcome }) => outcome === 'met')
  const first = results.find(({ outcome }) => outcome === 'missed' || outcome === 'generator')
  const rates = (stages: readonly TrialResult[]) =>
    stages.map(({ rate, rateFrom }) => Math.min(rate, rateFrom ?? rate))
  const missed = results.filter(({ outcome }) => outcome === 'missed')
  return {
    rate: null,
    limitedBy: interrupted ? 'interrupted' : limitOf(first),
    atLeast: met.length === 0 ? null : Math.max(...rates(met)),
    brokeAt:
      missed.length === 0
        ? null
        : Math.min(...missed.map(({ rate, rateFrom }) => Math.max(rate, rateFrom ?? rate))),
    statement: `${met.length} of ${results.length} stages met the objectives${interrupted ? ' before the run was interrupted' : ''}${firstText(first)}`,
  }
}

function limitOf(first: TrialResult | undefined): Finding['limitedBy'] {
  if (first === undefined) return null
  return first.outcome === 'generator' ? 'generator' : 'slo'
}

function firstText(first: TrialResult | undefined): string {
  if (first === undefined) return ''
  const { rate, rateFrom, because } = first
  const rates = rateFrom === null ? figure(rate) : `${figure(rateFrom)} to ${figure(rate)}`
  return `; the first that did not, at ${rates} iterations a second: ${because}`
}
