import {
  type Axis,
  type Capacity,
  getAxisUnit,
  getLoadNoun,
  type SearchGoal,
  type TrialResult,
} from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import {
  type Bounds,
  computeRelativeWidth,
  failsByGenerator,
  findBounds,
  isConfirmed,
  isNarrow,
  type TriedLoad,
} from './find-bounds.ts'
import { listTargetLimits } from './saturation-signals.ts'

/** The longest trial of a search, relative to the trial that decides a load. */
export const FINALS_MAX = 3

type Conclusion = Omit<Capacity, 'scalability' | 'scalabilityReason'>

/** The part that follows from the trials alone. */
export type Finding = Pick<
  Capacity,
  'rate' | 'limitedBy' | 'highestPassingRate' | 'lowestFailingRate' | 'statement'
>

type Options = {
  mix: string
  /** Omitted: rates are iterations per second. */
  axis?: Axis | undefined
  results: readonly TrialResult[]
  goal: SearchGoal
  budget: Capacity['budget']
  interrupted: boolean
  /** The search failed, such as on a full disk. */
  failed?: boolean
}

/**
 * Draws the conclusion from the trials alone, not from the course of the search, so that a report with other
 * objectives can judge the same trials.
 */
export function conclude(options: Options): Conclusion {
  const { mix, results, goal, budget } = options
  const bounds = findBounds(results, goal)
  const { lower } = bounds
  const isProfile = results.some(({ phase }) => phase === 'stage')
  const finding = isProfile ? concludeStages(options) : concludeSearch(bounds, options)
  return {
    ...finding,
    requestsPerSecond:
      lower === undefined ? null : computePerSecond(lower.results, 'pass', ({ requests }) => requests),
    ...((options.axis === 'events' || options.axis === 'subscriptions') &&
      describeEvents(finding.statement, lower, results)),
    confirmed: lower !== undefined && isConfirmed(lower),
    mix,
    loads: bounds.loads.map(({ rate, bound, trials }) => ({ rate, bound, trials })),
    trials: [...results],
    budget,
  }
}

function concludeSearch(bounds: Bounds, options: Options): Finding {
  const { lower, upper } = bounds
  if (upper === undefined) return lower === undefined ? nothingKnown(options) : withoutUpper(lower, options)
  if (failsByGenerator(upper)) return byGenerator(lower, upper, options)
  if (lower === undefined) return withoutLower(upper, options)
  const known = { highestPassingRate: lower.rate, lowestFailingRate: upper.rate }
  if (!isDecided(lower, upper, options.goal)) {
    const { limitedBy, why } = cutBy(options)
    const statement = `at least ${loadOf(lower, options)} and less than ${figure(upper.rate)}${why}; ${brokeText(upper)}`
    return { ...known, rate: null, limitedBy, statement }
  }
  const statement = `${loadOf(lower, options)}${describeConfirmed(lower)}${fellText(bounds)}; ${brokeText(upper)}`
  return { ...known, rate: lower.rate, limitedBy: findLimit(upper), statement }
}

/** True if the lower bound passes, the upper one fails, and they are close enough. */
function isDecided(lower: TriedLoad, upper: TriedLoad, { relativeWidth }: SearchGoal): boolean {
  const areStanding = lower.bound === 'lower' && upper.bound === 'upper'
  return areStanding && isNarrow(computeRelativeWidth(lower, upper), relativeWidth)
}

function nothingKnown(options: Options): Finding {
  const last = options.results.at(-1)
  const cut = cutBy(options)
  const limitedBy = options.interrupted || last === undefined ? cut.limitedBy : null
  const why =
    last === undefined ? `: no trial was run${cut.why}` : `; at ${figure(last.rate)}: ${last.reason}`
  return {
    rate: null,
    limitedBy,
    highestPassingRate: null,
    lowestFailingRate: null,
    statement: `no result${why}`,
  }
}

function withoutUpper(lower: TriedLoad, options: Options): Finding {
  const known = { rate: null, highestPassingRate: lower.rate, lowestFailingRate: null }
  const atLeast = `at least ${loadOf(lower, options)}`
  const held = describeConfirmed(lower)
  if (lower.rate === options.goal.rateMax && lower.bound === 'lower') {
    return {
      ...known,
      limitedBy: 'range',
      statement: `${atLeast}, the highest requested ${getLoadNoun(options.axis)}${held}`,
    }
  }
  const { limitedBy, why, isOfTrial } = cutBy(options)
  const highest = isOfTrial ? '' : `, the highest ${getLoadNoun(options.axis)} tried`
  return { ...known, limitedBy, statement: `${atLeast}${highest}${why}${held}` }
}

function withoutLower(upper: TriedLoad, options: Options): Finding {
  const noun = getLoadNoun(options.axis)
  const known = { rate: null, highestPassingRate: null, lowestFailingRate: upper.rate }
  if (upper.bound === 'upper') {
    const statement = `no ${noun} tried meets the objectives; ${brokeText(upper)}`
    return { ...known, limitedBy: findLimit(upper), statement }
  }
  const { limitedBy, why } = cutBy(options)
  return { ...known, limitedBy, statement: `no ${noun} met the objectives${why}; ${brokeText(upper)}` }
}

function byGenerator(lower: TriedLoad | undefined, upper: TriedLoad, options: Options): Finding {
  const most = lower === undefined ? 'no result for the target' : `at least ${loadOf(lower, options)}`
  return {
    rate: null,
    limitedBy: 'generator',
    highestPassingRate: lower?.rate ?? null,
    lowestFailingRate: upper.rate,
    statement: `generator-limited, ${most}; ${brokeText(upper)}`,
  }
}

/** Why a search stopped early; `why` is appended to the statement. */
type Cut = { limitedBy: 'interrupted' | 'budget' | null; why: string; isOfTrial?: true }

function cutBy({ results, goal, interrupted, failed }: Options): Cut {
  if (interrupted) return { limitedBy: 'interrupted', why: ' before the search was interrupted' }
  const inconclusive = lastInconclusive(results, goal)
  if (inconclusive !== undefined) {
    const why = `: at ${figure(inconclusive.rate)} no trial could be judged (${inconclusive.reason})`
    return { limitedBy: null, why, isOfTrial: true }
  }
  if (failed) return { limitedBy: null, why: ' before the search failed' }
  return { limitedBy: 'budget', why: ' before the budget of the search was used up' }
}

/** The last trial, if it could not be judged even when repeated or at the maximum length. */
function lastInconclusive(
  results: readonly TrialResult[],
  { finalSeconds }: SearchGoal,
): TrialResult | undefined {
  const [before, last] = [results.at(-2), results.at(-1)]
  if (last?.outcome !== 'inconclusive' || last.ended === 'budget') return undefined
  const isTried = before?.outcome === 'inconclusive' || last.secondsPlanned >= FINALS_MAX * finalSeconds
  return isTried ? last : undefined
}

function loadOf(load: TriedLoad, { axis }: Pick<Options, 'axis'>): string {
  const offered = `${figure(load.rate)} ${getAxisUnit(axis)}`
  return axis === 'events'
    ? `${figure(computeEventsPerSecond(load.results) ?? 0)} events/s to ${offered}`
    : offered
}

function describeConfirmed({ results }: TriedLoad): string {
  const confirmations = results.filter(({ phase }) => phase === 'confirmation')
  const held = confirmations.find(({ outcome }) => outcome === 'pass')
  if (held === undefined) return ' (not confirmed by a longer run)'
  const again = held === confirmations[0] ? '' : ' on the second attempt'
  return `, sustained for ${held.seconds} s${again}`
}

function fellText({ upper }: Bounds): string {
  const fell = upper?.results.find(({ phase, outcome }) => phase === 'confirmation' && outcome !== 'pass')
  if (upper === undefined || fell === undefined) return ''
  return `; the search had found ${figure(upper.rate)}, not sustained for ${fell.secondsPlanned} s`
}

/** `target` if its own metrics showed saturation when it missed. */
function findLimit({ results }: TriedLoad): 'target' | 'slo' {
  const isFull = results.some((result) => result.outcome === 'fail' && listTargetLimits(result).length > 0)
  return isFull ? 'target' : 'slo'
}

function brokeText(load: TriedLoad): string {
  const { rate, results } = load
  const broke = failsByGenerator(load) ? 'generator-limited' : 'fail'
  const reason = results.findLast(({ outcome }) => outcome === broke)?.reason
  return `at ${figure(rate)}: ${reason ?? 'too few trials met the objectives'}`
}

function computeEventsPerSecond(
  results: readonly TrialResult[],
  outcome: 'pass' | 'fail' = 'pass',
): number | null {
  return computePerSecond(
    results,
    outcome,
    ({ sockets, seconds }) => (sockets?.eventsPerSecond ?? 0) * seconds,
  )
}

/** A feed that has more to send than it can sends as much as it can, whatever the market does. */
function describeEvents(
  statement: string,
  lower: TriedLoad | undefined,
  results: readonly TrialResult[],
): Pick<Conclusion, 'eventsPerSecond' | 'overloadEventsPerSecond' | 'statement'> {
  const overload = computeEventsPerSecond(results, 'fail')
  return {
    eventsPerSecond: lower === undefined ? null : computeEventsPerSecond(lower.results),
    overloadEventsPerSecond: overload,
    statement:
      overload === null ? statement : `${statement}; the trials that failed got ${figure(overload)} events/s`,
  }
}

/** On average over the trials with that outcome. */
function computePerSecond(
  results: readonly TrialResult[],
  outcome: 'pass' | 'fail',
  count: (trial: TrialResult) => number,
): number | null {
  const chosen = results.filter((each) => each.outcome === outcome)
  const seconds = chosen.reduce((sum, each) => sum + each.seconds, 0)
  return seconds === 0 ? null : chosen.reduce((sum, each) => sum + count(each), 0) / seconds
}

/** Fixed stages find no capacity, only which stages met the objectives. */
function concludeStages(options: { results: readonly TrialResult[]; interrupted: boolean }): Finding {
  const { results, interrupted } = options
  const met = results.filter(({ outcome }) => outcome === 'pass')
  const missed = results.filter(({ outcome }) => outcome === 'fail')
  // A miss of the target outranks a saturated load generator in another stage.
  const first = missed[0] ?? results.find(({ outcome }) => outcome === 'generator-limited')
  const lowestFailingRate = Math.min(...missed.map(({ rate, rateFrom }) => Math.max(rate, rateFrom ?? rate)))
  const below = met
    .map(({ rate, rateFrom }) => Math.min(rate, rateFrom ?? rate))
    .filter((rate) => rate < lowestFailingRate)
  return {
    rate: null,
    limitedBy: interrupted ? 'interrupted' : findStagesLimit(first),
    highestPassingRate: below.length === 0 ? null : Math.max(...below),
    lowestFailingRate: missed.length === 0 ? null : lowestFailingRate,
    statement:
      describeLoad(options) ??
      `${met.length} of ${results.length} stages met the objectives${interrupted ? ' before the run was interrupted' : ''}${firstText(first)}`,
  }
}

/** A single held load; undefined if there are several stages. */
function describeLoad({ results, interrupted }: { results: readonly TrialResult[]; interrupted: boolean }) {
  const [only, ...others] = results
  if (only === undefined || others.length > 0 || only.rateFrom !== null) return undefined
  const { outcome, rate, seconds, secondsPlanned, reason } = only
  const held = `${figure(rate)} iterations/s for ${outcome === 'pass' ? seconds : figure(secondsPlanned)} s`
  if (interrupted) return `${held}: interrupted`
  return `${held}${HELD_TEXTS[outcome](reason)}`
}

const HELD_TEXTS: Readonly<Record<TrialResult['outcome'], (reason: string) => string>> = {
  pass: () => ': met the objectives',
  fail: (reason) => `: missed the objectives: ${reason}`,
  'generator-limited': (reason) => `: the load generator saturated: ${reason}`,
  inconclusive: (reason) => `: inconclusive: ${reason}`,
}

function findStagesLimit(first: TrialResult | undefined): Finding['limitedBy'] {
  if (first === undefined) return null
  return first.outcome === 'generator-limited' ? 'generator' : 'slo'
}

function firstText(first: TrialResult | undefined): string {
  if (first === undefined) return ''
  const { outcome, rate, rateFrom, reason } = first
  const rates = rateFrom === null ? figure(rate) : `${figure(rateFrom)} to ${figure(rate)}`
  const what = outcome === 'fail' ? 'first miss' : 'the load generator saturated'
  return `; ${what} at ${rates} iterations/s: ${reason}`
}
