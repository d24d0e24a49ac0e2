import { type Axis, isOfSockets, type SearchGoal, type TrialResult } from '../../contract/capacity.ts'
import { FINALS_MAX } from '../../reports/capacity/conclude.ts'
import {
  type Bounds,
  computeRelativeWidth,
  failsByGenerator,
  isNarrow,
  type TriedLoad,
} from '../../reports/capacity/find-bounds.ts'

export type RateToTry = { rate: number; seconds: number; why: string }

/** Precision that is enough if the generator fails: its own limit is not worth more trials. */
const GENERATOR_WIDTH = 0.25

/**
 * A target that serves less than this share of the offered load is overloaded, and its throughput shows its capacity.
 */
const OVERLOADED_SHARE = 0.97

/**
 * Returns the most informative rate while the bounds are too far apart; undefined: they are close enough, or no rate is
 * left.
 */
export function nextRate(bounds: Bounds, plan: SearchPlan): RateToTry | undefined {
  const { lower, upper } = bounds
  if (upper === undefined) return rampUp(lower, plan)
  const above = lookAbove(upper, bounds, plan)
  if (above !== undefined) return above
  if (lower === undefined) return goDown(upper, bounds, plan)
  const width = computeRelativeWidth(lower, upper)
  const wanted = failsByGenerator(upper) ? GENERATOR_WIDTH : plan.relativeWidth
  if (isNarrow(width, wanted)) return undefined
  const rate = roundRate(between(lower.rate, upper.rate, servedWhenOverloaded(bounds), plan), plan)
  if (rate <= lower.rate || rate >= upper.rate) return undefined
  const isNear =
    width <= 4 * plan.relativeWidth || rate !== roundRate(Math.sqrt(lower.rate * upper.rate), plan)
  return { rate, seconds: isNear ? plan.trialSeconds : plan.shortSeconds, why: 'narrowing down' }
}

function rampUp(lower: TriedLoad | undefined, plan: SearchPlan): RateToTry | undefined {
  const rateMax = plan.rateMax ?? Number.POSITIVE_INFINITY
  if (lower !== undefined && lower.rate >= rateMax) return undefined
  const rate = lower === undefined ? chooseStart(plan) : 2 * lower.rate
  return { rate: Math.min(roundRate(rate, plan), rateMax), seconds: plan.shortSeconds, why: 'ramping up' }
}

function lowestRate(plan: SearchPlan): number {
  const judgeable = requestsNeeded(plan) / plan.requestsPerIteration / trialSecondsMax(plan)
  return Math.max(plan.rateMin, roundRate(judgeable, plan))
}

/** Starts high enough that a confirmation collects the samples that percentiles need. */
function chooseStart({
  rateStart,
  samplesMin,
  requestsPerIteration,
  confirmationSeconds,
}: SearchPlan): number {
  return Math.max(rateStart, samplesMin / requestsPerIteration / confirmationSeconds)
}

/**
 * The first miss of a target that served everything may be chance. Twice the rate either passes or overloads the
 * target, which shows what it can serve.
 */
function lookAbove(upper: TriedLoad, { loads }: Bounds, plan: SearchPlan): RateToTry | undefined {
  const isFirst = upper === loads.at(-1) && upper.bound === 'undecided' && !failsByGenerator(upper)
  return isFirst && !upper.results.some(isOverloaded) ? rampUp(upper, plan) : undefined
}

function goDown(upper: TriedLoad, bounds: Bounds, plan: SearchPlan): RateToTry | undefined {
  const rateMin = lowestRate(plan)
  if (upper.rate <= rateMin) return undefined
  const served = servedWhenOverloaded(bounds) ?? 0
  const below = served * (1 - 0.3 * plan.relativeWidth)
  const rate = below > 0 && below < 0.9 * upper.rate ? below : upper.rate / 4
  return { rate: Math.max(rateMin, roundRate(rate, plan)), seconds: plan.shortSeconds, why: 'going down' }
}

/**
 * Tries just below and just above the throughput under overload: with a steady queue, capacity is between the two.
 * Otherwise moves away from there in growing steps, never past the geometric middle.
 */
function between(lower: number, upper: number, served: number | undefined, plan: SearchPlan): number {
  const middle = Math.sqrt(lower * upper)
  if (served === undefined) return middle
  const below = roundRate(served * (1 - 0.3 * plan.relativeWidth), plan)
  const above = roundRate(served * (1 + 0.65 * plan.relativeWidth), plan)
  if (lower < below && below < upper) return below
  if (lower < above && above < upper) return above
  if (lower >= above) return Math.min(middle, lower * (1 + stepFrom(lower, served, plan)))
  return Math.max(middle, upper * (1 - stepFrom(upper, served, plan)))
}

function stepFrom(rate: number, served: number, { relativeWidth }: SearchPlan): number {
  return Math.max(1.5 * relativeWidth, 2 * Math.abs(rate / served - 1))
}

function servedWhenOverloaded({ loads }: Bounds): number | undefined {
  const overloaded = loads
    .filter(({ good }) => !good)
    .flatMap(({ results }) => results)
    .filter((result) => result.outcome === 'fail' && result.throughput > 0 && isOverloaded(result))
  return overloaded[0]?.throughput
}

export function isOverloaded({ throughput, rate }: TrialResult): boolean {
  return throughput < OVERLOADED_SHARE * rate
}

/** Rounds to three significant digits, and to integers from 100 on, so that rates are easy to read and type. */
export function roundRate(rate: number, { axis }: Pick<SearchPlan, 'axis'>): number {
  return rate >= 100 || isOfSockets(axis) ? Math.round(rate) : Number(rate.toPrecision(3))
}

export type SearchPlan = SearchGoal & {
  axis: Axis
  /** Seconds until all sockets of this load are open and should be served. */
  openingSeconds: (rate: number) => number
  /** All sockets are cut at once, and only their recovery is judged. */
  isStorm: boolean
  /** The first rate, and the lowest to try if that one fails. */
  rateStart: number
  rateMin: number
  shortSeconds: number
  warmUpSeconds: number
  confirmationSeconds: number
  /** Requests that a trial needs before its percentiles are judged. */
  samplesMin: number
  /** Estimated from the mix; trials measure it better. */
  requestsPerIteration: number
  /** Seconds that a trial takes beyond its load. */
  overheadSeconds: number
}

export const SEARCH_DEFAULTS: SearchPlan = {
  axis: 'rate',
  openingSeconds: () => 0,
  isStorm: false,
  relativeWidth: 0.05,
  trialSeconds: 5,
  /** Four trials: two show a pass, three a failure. */
  finalSeconds: 20,
  rateMax: null,
  rateStart: 50,
  rateMin: 1,
  shortSeconds: 2,
  warmUpSeconds: 2,
  confirmationSeconds: 20,
  samplesMin: 200,
  requestsPerIteration: 1,
  overheadSeconds: 2,
}

/** Upper limit of a trial, even if too few requests arrive. */
export function trialSecondsMax({ confirmationSeconds }: SearchPlan): number {
  return FINALS_MAX * confirmationSeconds
}

/** Leaves a margin for requests that are still in flight when the trial ends. */
export function requestsNeeded({ samplesMin }: SearchPlan): number {
  return 1.1 * samplesMin
}
