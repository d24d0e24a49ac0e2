import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { TrialResult } from '../../contract/capacity.ts'
import {
  type Bounds,
  failsByGenerator,
  findBounds,
  isConfirmed,
  type TriedLoad,
} from '../../reports/capacity/find-bounds.ts'
import type { Budget } from '../load/with-trials.ts'
import {
  isOverloaded,
  nextRate,
  requestsNeeded,
  roundRate,
  type SearchPlan,
  trialSecondsMax,
} from './next-rate.ts'

export type PlannedTrial = {
  phase: 'search' | 'confirmation'
  rate: number
  /** Idle time before the trial, in which the target drains the previous load. */
  pauseSeconds: number
  warmUpSeconds: number
  seconds: number
  why: string
}

/**
 * Why a search ended. `found`, `range`, `generator`, `budget`: docs/guides/find-the-capacity.md; `none`: the lowest rate misses the
 * objectives; `inconclusive`: the last rate could not be judged.
 */
export type SearchEnd = { done: 'found' | 'range' | 'generator' | 'budget' | 'none' | 'inconclusive' }

export type Wanted = Pick<PlannedTrial, 'phase' | 'rate' | 'seconds' | 'why'>

type State = { plan: SearchPlan; trials: readonly TrialResult[]; bounds: Bounds }

export function nextTrial(options: {
  plan: SearchPlan
  trials: readonly TrialResult[]
  budget: Budget
}): PlannedTrial | SearchEnd {
  const { plan, trials, budget } = options
  const state = { plan, trials, bounds: findBounds(trials, plan) }
  const wanted = chooseTrial(state)
  if ('done' in wanted) return wanted
  const cost = (trial: PlannedTrial) =>
    computeCost(trial, { ...plan, requestsPerIteration: requestsPerIteration(state) })
  const trial = equip(wanted, state)
  const last = confirmation(state.bounds, plan)
  const lastTrial = last === undefined ? undefined : equip(last, state)
  const reserved = trial.phase === 'search' && lastTrial !== undefined ? [cost(lastTrial)] : []
  if (affords(budget, cost(trial), ...reserved)) return trial
  return lastTrial !== undefined && affords(budget, cost(lastTrial)) ? lastTrial : { done: 'budget' }
}

function chooseTrial({ plan, trials, bounds }: State): Wanted | SearchEnd {
  return (
    afterUnjudged(trials, plan) ??
    findContradicted(bounds, trials, plan) ??
    confirmationBelow(bounds, plan) ??
    ratesBetween(bounds, plan) ??
    undecided(bounds, trials, plan) ??
    ending(bounds, plan)
  )
}

/** Repeats the trial for longer: at a low rate, percentiles need more time to collect requests. */
function afterUnjudged(trials: readonly TrialResult[], plan: SearchPlan): Wanted | SearchEnd | undefined {
  const last = trials.at(-1)
  if (last?.outcome !== 'inconclusive') return undefined
  const { rate, secondsPlanned, ended, reason } = last
  const phase = last.phase === 'confirmation' ? 'confirmation' : 'search'
  if (ended !== 'completed') {
    const again = trials.at(-2)?.outcome !== 'inconclusive'
    return again ? { phase, rate, seconds: secondsPlanned, why: 'measuring again' } : { done: 'inconclusive' }
  }
  const secondsMax = trialSecondsMax(plan)
  const before = trials.at(-2)
  // For example an objective about routes that the mix never requests.
  const isFutile = before?.outcome === 'inconclusive' && before.reason === reason
  if (isFutile || secondsPlanned >= secondsMax) return { done: 'inconclusive' }
  return { phase, rate, seconds: Math.min(2 * secondsPlanned, secondsMax), why: 'longer, for more requests' }
}

function findContradicted(
  { loads }: Bounds,
  trials: readonly TrialResult[],
  plan: SearchPlan,
): Wanted | undefined {
  const served = Math.max(0, ...trials.map(({ throughput }) => throughput))
  const load = loads.find((each) => !each.good && isUncertain(each, { loads, served, plan }))
  if (load === undefined) return undefined
  const [first, ...others] = load.results
  const seconds = first !== undefined && others.length === 0 ? first.secondsPlanned : plan.trialSeconds
  return { phase: 'search', rate: load.rate, seconds, why: 'measuring again' }
}

type Others = { loads: readonly TriedLoad[]; served: number; plan: SearchPlan }

function isUncertain(load: TriedLoad, { loads, served, plan }: Others): boolean {
  const { rate, results } = load
  const isGoodAbove = loads.some((other) => other.good && other.rate > rate)
  if (load.bound !== 'undecided') return isGoodAbove && measuredSeconds(load) < 2 * plan.finalSeconds
  return (
    isGoodAbove ||
    results.some(({ outcome }) => outcome === 'pass') ||
    // Overloaded, it served less than in another trial.
    results.every((each) => isOverloaded(each) && served > 1.05 * each.throughput) ||
    (results.length === 1 && rate < 0.99 * served)
  )
}

function measuredSeconds({ results }: TriedLoad): number {
  return results.reduce((sum, { secondsPlanned }) => sum + secondsPlanned, 0)
}

function ratesBetween(bounds: Bounds, plan: SearchPlan): Wanted | undefined {
  const found = nextRate(bounds, plan)
  return found === undefined ? undefined : { phase: 'search', ...found }
}

/** Picks the bound with too few trials, alternating, so that one disturbance does not hit both. */
function undecided(
  { lower, upper }: Bounds,
  trials: readonly TrialResult[],
  plan: SearchPlan,
): Wanted | undefined {
  const open = [lower, upper].filter((load) => load?.bound === 'undecided')
  const load = open.find((each) => each?.rate !== trials.at(-1)?.rate) ?? open[0]
  if (load === undefined) return undefined
  return { phase: 'search', rate: load.rate, seconds: plan.trialSeconds, why: 'deciding' }
}

function ending(bounds: Bounds, plan: SearchPlan): Wanted | SearchEnd {
  const { lower, upper } = bounds
  if (lower === undefined) return { done: 'none' }
  if (upper !== undefined && failsByGenerator(upper)) return { done: 'generator' }
  return confirmation(bounds, plan) ?? { done: upper === undefined ? 'range' : 'found' }
}

function equip(wanted: Wanted, state: State): PlannedTrial {
  const { plan, trials } = state
  const forRequests = Math.ceil(requestsNeeded(plan) / (wanted.rate * requestsPerIteration(state)))
  const opening = plan.openingSeconds(wanted.rate)
  // Tickets and handshakes count while sockets open, events once all are open.
  const isJudged = plan.axis !== 'events' && !plan.isStorm
  return {
    ...wanted,
    seconds:
      Math.max(wanted.seconds, Math.min(forRequests, trialSecondsMax(plan))) + (isJudged ? opening : 0),
    warmUpSeconds: plan.warmUpSeconds + (isJudged ? 0 : opening),
    pauseSeconds: PAUSES[plan.axis](trials.at(-1)),
  }
}

const PAUSE_SECONDS_MAX = 10

/** Lets the target drain its backlog. Sockets that were not served left none. */
const PAUSES: Readonly<Record<SearchPlan['axis'], (last: TrialResult | undefined) => number>> = {
  rate: pauseAfter,
  sockets: () => 0,
  subscriptions: pauseForEvents,
  'slow-readers': pauseForEvents,
  events: pauseForEvents,
}

/** The last events were as late as the backlog is long. */
function pauseForEvents(last: TrialResult | undefined): number {
  return last?.outcome === 'fail' ? secondsOf(last.sockets?.feedDelayP95Ms ?? 0) : 0
}

function secondsOf(delayMs: number | 'infinite'): number {
  return delayMs === 'infinite' ? PAUSE_SECONDS_MAX : Math.min(PAUSE_SECONDS_MAX, Math.ceil(delayMs / 1000))
}

/** Half a second passes between trials anyway. */
function pauseAfter(last: TrialResult | undefined): number {
  if (last === undefined || last.throughput === 0) return 0
  const behind = (last.rate - last.throughput) * last.seconds - last.dropped
  const seconds = Math.ceil(behind / last.throughput - 0.5)
  return Math.min(PAUSE_SECONDS_MAX, Math.max(0, seconds))
}

function requestsPerIteration({ plan, trials }: State): number {
  const iterations = trials.reduce((sum, { throughput, seconds }) => sum + throughput * seconds, 0)
  const requests = trials.reduce((sum, trial) => sum + trial.requests, 0)
  return iterations === 0 || requests === 0 ? plan.requestsPerIteration : requests / iterations
}

/** A failed confirmation is repeated once, because a pause of the target may have hit it. */
const FAILURES_MAX = 2

function confirmation({ lower }: Bounds, plan: SearchPlan): Wanted | undefined {
  return lower === undefined || isConfirmed(lower) ? undefined : confirm(lower.rate, plan, 'confirming')
}

/** If the found rate does not pass for longer, repeats it, then steps down by the precision of the search. */
function confirmationBelow(bounds: Bounds, plan: SearchPlan): Wanted | undefined {
  const { loads, lower } = bounds
  const failed = loads.find((load) => countFailures(load) > 0)
  if (failed === undefined || failed.good || (lower !== undefined && isConfirmed(lower))) return undefined
  if (countFailures(failed) < FAILURES_MAX) return confirm(failed.rate, plan, 'repeating the confirmation')
  const below = roundRate(failed.rate * (1 - plan.relativeWidth), plan)
  if (lower !== undefined && lower.rate >= below) return confirm(lower.rate, plan, 'confirming a step below')
  return below < plan.rateMin ? undefined : confirm(below, plan, 'confirming a step below')
}

function countFailures({ results }: TriedLoad): number {
  return results.filter(({ phase, outcome }) => phase === 'confirmation' && outcome !== 'pass').length
}

function confirm(rate: number, plan: SearchPlan, why: string): Wanted {
  return { phase: 'confirmation', rate, seconds: plan.confirmationSeconds, why }
}

type Cost = { seconds: number; requests: number }

export function computeCost(
  trial: { rate: number; pauseSeconds: number; warmUpSeconds: number; seconds: number },
  { requestsPerIteration, overheadSeconds }: Pick<SearchPlan, 'requestsPerIteration' | 'overheadSeconds'>,
): Cost {
  const loaded = trial.warmUpSeconds + trial.seconds
  return {
    seconds: trial.pauseSeconds + loaded + overheadSeconds,
    requests: Math.ceil(trial.rate * loaded * requestsPerIteration),
  }
}

export function affords(budget: Budget, ...costs: readonly Cost[]): boolean {
  const seconds = costs.reduce((sum, cost) => sum + cost.seconds, budget.secondsUsed)
  const requests = costs.reduce((sum, cost) => sum + cost.requests, budget.requestsUsed)
  return seconds <= budget.secondsMax && requests <= (budget.requestsMax ?? Number.POSITIVE_INFINITY)
}

/** For the check of the target before the first trial. */
const BEFORE = { seconds: 1, requests: 3 }

const UNLIMITED: Budget = {
  secondsMax: Number.POSITIVE_INFINITY,
  secondsUsed: 0,
  requestsMax: null,
  requestsUsed: 0,
}

/** Throws a BreakwaterError (usage) if the budget does not suffice for the first trial. */
export function requireFirstTrial(
  plan: SearchPlan,
  { secondsMax, requestsMax }: Pick<Budget, 'secondsMax' | 'requestsMax'>,
): void {
  const first = nextTrial({ plan, trials: [], budget: UNLIMITED })
  if ('done' in first) return
  const cost = computeCost(first, plan)
  const seconds = Math.ceil(cost.seconds + BEFORE.seconds)
  if (seconds > secondsMax) {
    throw new BreakwaterError(
      `--max-duration ${secondsMax}s: the first trial takes ${seconds} s, including warm-up, start and end`,
      { hint: `Set --max-duration to at least ${seconds}s; a whole search needs several trials.` },
    )
  }
  const requests = cost.requests + BEFORE.requests
  if (requests > (requestsMax ?? Number.POSITIVE_INFINITY)) {
    throw new BreakwaterError(
      `--max-requests ${requestsMax}: the first trial sends about ${requests} requests, including warm-up`,
      { hint: `Set --max-requests to at least ${requests}; a whole search needs several trials.` },
    )
  }
}
