import type { Capacity, SearchGoal, TrialResult } from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import {
  type Bounds,
  failsByGenerator,
  findBounds,
  isConfirmed,
  isNarrow,
  type TriedLoad,
  widthOf,
} from './find-bounds.ts'
import { limitsOfTarget } from './saturation-signals.ts'

/** A search makes no trial longer than so many times what decides a load. */
export const FINALS_MAX = 3

type Conclusion = Omit<Capacity, 'scalability' | 'scalabilityReason'>

/** The part that the trials decide. */
export type Finding = Pick<Capacity, 'rate' | 'limitedBy' | 'atLeast' | 'brokeAt' | 'statement'>

type Options = {
  mix: string
  results: readonly TrialResult[]
  goal: SearchGoal
  budget: Capacity['budget']
  interrupted: boolean
  /** Broke off by itself, such as on a full disk. */
  failed?: boolean
}

/**
 * What follows from the trials of a run. Only from them, not from how the search went: so a report by other objectives says
 * what the same trials show of those.
 */
export function conclude(options: Options): Conclusion {
  const { mix, results, goal, budget } = options
  const bounds = findBounds(results, goal)
  const { lower } = bounds
  const isProfile = results.some(({ phase }) => phase === 'stage')
  return {
    ...(isProfile ? concludeStages(options) : concludeSearch(bounds, options)),
    requestsPerSecond: lower === undefined ? null : requestsPerSecondOf(lower),
    confirmed: lower !== undefined && isConfirmed(lower),
    mix,
    loads: bounds.loads.map(({ rate, standing, trials }) => ({ rate, standing, trials })),
    trials: [...results],
    budget,
  }
}

function concludeSearch(bounds: Bounds, options: Options): Finding {
  const { lower, upper } = bounds
  if (upper === undefined) return lower === undefined ? nothingKnown(options) : withoutUpper(lower, options)
  if (failsByGenerator(upper)) return byGenerator(lower, upper)
  if (lower === undefined) return withoutLower(upper, options)
  const known = { atLeast: lower.rate, brokeAt: upper.rate }
  if (!isDecided(lower, upper, options.goal)) {
    const { limitedBy, why } = cutBy(options)
    const statement = `at least ${iterations(lower.rate)}, and fewer than ${figure(upper.rate)}${why}; ${brokeText(upper)}`
    return { ...known, rate: null, limitedBy, statement }
  }
  const statement = `${iterations(lower.rate)}${heldText(lower)}${fellText(bounds)}; ${brokeText(upper)}`
  return { ...known, rate: lower.rate, limitedBy: limitOf(upper), statement }
}

/** Whether the lower bound is shown to be met, the upper one to be missed, and nothing worth knowing lies between. */
function isDecided(lower: TriedLoad, upper: TriedLoad, { relativeWidth }: SearchGoal): boolean {
  const areStanding = lower.standing === 'lower' && upper.standing === 'upper'
  return areStanding && isNarrow(widthOf(lower, upper), relativeWidth)
}

function nothingKnown({ results, interrupted }: Options): Finding {
  const last = results.at(-1)
  const limitedBy = interrupted ? 'interrupted' : last === undefined ? 'budget' : null
  const why = last === undefined ? ': no trial was made' : `; at ${figure(last.rate)}: ${last.because}`
  return { rate: null, limitedBy, atLeast: null, brokeAt: null, statement: `nothing is known${why}` }
}

function withoutUpper(lower: TriedLoad, options: Options): Finding {
  const known = { rate: null, atLeast: lower.rate, brokeAt: null }
  const atLeast = `at least ${iterations(lower.rate)}`
  const held = heldText(lower)
  if (lower.rate === options.goal.rateMax && lower.standing === 'lower') {
    return {
      ...known,
      limitedBy: 'range',
      statement: `${atLeast}, the highest rate that was asked for${held}`,
    }
  }
  const { limitedBy, why, isOfTrial } = cutBy(options)
  const highest = isOfTrial ? '' : ', the highest rate that was tried'
  return { ...known, limitedBy, statement: `${atLeast}${highest}${why}${held}` }
}

function withoutLower(upper: TriedLoad, options: Options): Finding {
  const known = { rate: null, atLeast: null, brokeAt: upper.rate }
  if (upper.standing === 'upper') {
    const statement = `no rate that was tried meets the objectives; ${brokeText(upper)}`
    return { ...known, limitedBy: limitOf(upper), statement }
  }
  const { limitedBy, why } = cutBy(options)
  return { ...known, limitedBy, statement: `no rate met the objectives${why}; ${brokeText(upper)}` }
}

function byGenerator(lower: TriedLoad | undefined, upper: TriedLoad): Finding {
  const most = lower === undefined ? 'nothing known of the target' : `at least ${iterations(lower.rate)}`
  return {
    rate: null,
    limitedBy: 'generator',
    atLeast: lower?.rate ?? null,
    brokeAt: upper.rate,
    statement: `generator-limited, ${most}; ${brokeText(upper)}`,
  }
}

/** What ended a search that is not done; `why` follows what is known. */
type Cut = { limitedBy: 'interrupted' | 'budget' | null; why: string; isOfTrial?: true }

function cutBy({ results, goal, interrupted, failed }: Options): Cut {
  if (interrupted) return { limitedBy: 'interrupted', why: ' before the search was interrupted' }
  const unjudged = lastUnjudged(results, goal)
  if (unjudged !== undefined) {
    const why = `: at ${figure(unjudged.rate)} nothing could be judged (${unjudged.because})`
    return { limitedBy: null, why, isOfTrial: true }
  }
  if (failed) return { limitedBy: null, why: ' before the search broke off' }
  return { limitedBy: 'budget', why: ' before the budget of the search was used up' }
}

/** Of what makes no sense to try for longer, or once more: as long as a search ever tries, or for the second time. */
function lastUnjudged(
  results: readonly TrialResult[],
  { finalSeconds }: SearchGoal,
): TrialResult | undefined {
  const [before, last] = [results.at(-2), results.at(-1)]
  if (last?.outcome !== 'unjudged' || last.ended === 'budget') return undefined
  const isTried = before?.outcome === 'unjudged' || last.secondsPlanned >= FINALS_MAX * finalSeconds
  return isTried ? last : undefined
}

function iterations(rate: number): string {
  return `${figure(rate)} iterations a second`
}

function heldText({ results }: TriedLoad): string {
  const confirmations = results.filter(({ phase }) => phase === 'confirmation')
  const held = confirmations.find(({ outcome }) => outcome === 'met')
  if (held === undefined) return ' (not confirmed by a longer run)'
  const again = held === confirmations[0] ? '' : ' when it was tried again'
  return `, which held for ${held.seconds} s${again}`
}

function fellText({ upper }: Bounds): string {
  const fell = upper?.results.find(({ phase, outcome }) => phase === 'confirmation' && outcome !== 'met')
  if (upper === undefined || fell === undefined) return ''
  return `; the search had found ${figure(upper.rate)}, which did not hold for ${fell.secondsPlanned} s`
}

/** `target` where its own metrics showed it at its limit when it missed. */
function limitOf({ results }: TriedLoad): 'target' | 'slo' {
  const isFull = results.some((result) => result.outcome === 'missed' && limitsOfTarget(result).length > 0)
  return isFull ? 'target' : 'slo'
}

/** As the latest trial says that was not met by what it broke by. */
function brokeText(load: TriedLoad): string {
  const { rate, results } = load
  const broke = failsByGenerator(load) ? 'generator' : 'missed'
  const because = results.findLast(({ outcome }) => outcome === broke)?.because
  return `at ${figure(rate)}: ${because ?? 'too few trials met the objectives'}`
}

function requestsPerSecondOf({ results }: TriedLoad): number | null {
  const met = results.filter(({ outcome }) => outcome === 'met')
  const seconds = met.reduce((sum, each) => sum + each.seconds, 0)
  return seconds === 0 ? null : met.reduce((sum, { requests }) => sum + requests, 0) / seconds
}

/** A profile of stages finds no capacity: it says which stages met the objectives. */
function concludeStages(options: { results: readonly TrialResult[]; interrupted: boolean }): Finding {
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
    limitedBy: interrupted ? 'interrupted' : limitOfStages(first),
    atLeast: below.length === 0 ? null : Math.max(...below),
    brokeAt: missed.length === 0 ? null : brokeAt,
    statement:
      heldLoadText(options) ??
      `${met.length} of ${results.length} stages met the objectives${interrupted ? ' before the run was interrupted' : ''}${firstText(first)}`,
  }
}

/** Of one load that was held; undefined: there are several. */
function heldLoadText({ results, interrupted }: { results: readonly TrialResult[]; interrupted: boolean }) {
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

function limitOfStages(first: TrialResult | undefined): Finding['limitedBy'] {
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
