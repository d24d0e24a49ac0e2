import type { TrialResult } from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import type { Finding } from './conclude.ts'

/** A profile of stages finds no capacity: it says which stages met the objectives. */
export function concludeStages(options: { results: readonly TrialResult[]; interrupted: boolean }): Finding {
  const { results, interrupted } = options
  const met = results.filter(({ outcome }) => outcome === 'met')
  const missed = results.filter(({ outcome }) => outcome === 'missed')
  // What the target missed is said first: a load generator that gave out in another stage takes nothing from it.
  const first = missed[0] ?? results.find(({ outcome }) => outcome === 'generator')
  const brokeAt = Math.min(...missed.map(({ rate, rateFrom }) => Math.max(rate, rateFrom ?? rate)))
  const below = met
    .map(({ rate, rateFrom }) => Math.min(rate, rateFrom ?? rate))
    .filter((rate) => rate < brokeAt)
  return {
    rate: null,
    limitedBy: interrupted ? 'interrupted' : limitOf(first),
    atLeast: below.length === 0 ? null : Math.max(...below),
    brokeAt: missed.length === 0 ? null : brokeAt,
    statement:
      heldText(options) ??
      `${met.length} of ${results.length} stages met the objectives${interrupted ? ' before the run was interrupted' : ''}${firstText(first)}`,
  }
}

/** Of one load that was held; undefined: there are several. */
function heldText({ results, interrupted }: { results: readonly TrialResult[]; interrupted: boolean }) {
  const [only, ...others] = results
  if (only === undefined || others.length > 0 || only.rateFrom !== null) return undefined
  const { outcome, rate, seconds, secondsPlanned, because } = only
  const held = `${figure(rate)} iterations a second, held for ${outcome === 'met' ? seconds : figure(secondsPlanned)} s`
  if (interrupted) return `${held}: interrupted`
  return `${held}${HELD_TEXTS[outcome](because)}`
}

const HELD_TEXTS: Readonly<Record<TrialResult['outcome'], (because: string) => string>> = {
  met: () => ', met the objectives',
  missed: (because) => `, missed the objectives: ${because}`,
  generator: (because) => `: the load generator gave out: ${because}`,
  unjudged: (because) => `: nothing can be said: ${because}`,
}

function limitOf(first: TrialResult | undefined): Finding['limitedBy'] {
  if (first === undefined) return null
  return first.outcome === 'generator' ? 'generator' : 'slo'
}

function firstText(first: TrialResult | undefined): string {
  if (first === undefined) return ''
  const { outcome, rate, rateFrom, because } = first
  const rates = rateFrom === null ? figure(rate) : `${figure(rateFrom)} to ${figure(rate)}`
  const what = outcome === 'missed' ? 'the first that missed them' : 'the load generator gave out'
  return `; ${what}, at ${rates} iterations a second: ${because}`
}
