import type { SearchGoal, TrialResult } from '../../contract/capacity.ts'
import { FINALS_MAX } from '../../reports/capacity/conclude.ts'
import {
  type Bounds,
  failsByGenerator,
  isNarrow,
  type TriedLoad,
  widthOf,
} from '../../reports/capacity/find-bounds.ts'

export type RateToTry = { rate: number; seconds: number; why: string }

/** How close the bounds have to be where the generator is what fails: what it can do is not worth the time. */
const GENERATOR_WIDTH = 0.25

/** A target that serves less than this share of what comes is overloaded: then what it serves tells what it can. */
const OVERLOADED_SHARE = 0.97

/** The rate that tells most where the bounds are too far apart; undefined: they are not, or there is none left. */
export function nextRate(bounds: Bounds, plan: SearchPlan): RateToTry | undefined {
  const { lower, upper } = bounds
  if (upper === undefined) return rampUp(lower, plan)
  const above = lookAbove(upper, bounds, plan)
  if (above !== undefined) return above
  if (lower === undefined) return goDown(upper, bounds, plan)
  const width = widthOf(lower, upper)
  const wanted = failsByGenerator(upper) ? GENERATOR_WIDTH : plan.relativeWidth
  if (isNarrow(width, wanted)) return undefined
  const rate = roundRate(between(lower.rate, upper.rate, servedWhenOverloaded(bounds), plan))
  if (rate <= lower.rate || rate >= upper.rate) return undefined
  const isNear = width <= 4 * plan.relativeWidth || rate !== roundRate(Math.sqrt(lower.rate * upper.rate))
  return { rate, seconds: isNear ? plan.trialSeconds : plan.shortSeconds, why: 'narrowing down' }
}

function rampUp(lower: TriedLoad | undefined, plan: SearchPlan): RateToTry | undefined {
  const rateMax = plan.rateMax ?? Number.POSITIVE_INFINITY
  if (lower !== undefined && lower.rate >= rateMax) return undefined
  const rate = lower === undefined ? startOf(plan) : 2 * lower.rate
  return { rate: Math.min(roundRate(rate), rateMax), seconds: plan.shortSeconds, why: 'ramping up' }
}

/** Below, too few requests come for anything to be judged. */
function lowestRate(plan: SearchPlan): number {
  const judgeable = requestsNeeded(plan) / plan.requestsPerIteration / trialSecondsMax(plan)
  return Math.max(plan.rateMin, roundRate(judgeable))
}

/** Where quantiles take many requests, a rate that brings them within the time of a confirmation. */
function startOf({ rateStart, samplesMin, requestsPerIteration, confirmationSeconds }: SearchPlan): number {
  return Math.max(rateStart, samplesMin / requestsPerIteration / confirmationSeconds)
}

/**
 * A first miss of a target that served all who came may be chance. Twice the rate shows: it is met, or it is overload, which
 * tells what the target can serve.
 */
function lookAbove(upper: TriedLoad, { loads }: Bounds, plan: SearchPlan): RateToTry | undefined {
  const isFirst = upper === loads.at(-1) && upper.standing === 'undecided' && !failsByGenerator(upper)
  return isFirst && !upper.results.some(isOverloaded) ? rampUp(upper, plan) : undefined
}

function goDown(upper: TriedLoad, bounds: Bounds, plan: SearchPlan): RateToTry | undefined {
  const rateMin = lowestRate(plan)
  if (upper.rate <= rateMin) return undefined
  const served = servedWhenOverloaded(bounds) ?? 0
  const below = served * (1 - 0.3 * plan.relativeWidth)
  const rate = below > 0 && below < 0.9 * upper.rate ? below : upper.rate / 4
  return { rate: Math.max(rateMin, roundRate(rate)), seconds: plan.shortSeconds, why: 'going down' }
}

/**
 * Just below and just above what the target serves when it is overloaded: a queue with a steady rate is between these two
 * already. Where it is not, away from there in steps that grow, and never past the geometric middle.
 */
function between(lower: number, upper: number, served: number | undefined, plan: SearchPlan): number {
  const middle = Math.sqrt(lower * upper)
  if (served === undefined) return middle
  const below = roundRate(served * (1 - 0.3 * plan.relativeWidth))
  const above = roundRate(served * (1 + 0.65 * plan.relativeWidth))
  if (lower < below && below < upper) return below
  if (lower < above && above < upper) return above
  if (lower >= above) return Math.min(middle, lower * (1 + stepFrom(lower, served, plan)))
  return Math.max(middle, upper * (1 - stepFrom(upper, served, plan)))
}

function stepFrom(rate: number, served: number, { relativeWidth }: SearchPlan): number {
  return Math.max(1.5 * relativeWidth, 2 * Math.abs(rate / served - 1))
}

/** Of the overloaded trials, the one at the lowest rate is the nearest to capacity. */
function servedWhenOverloaded({ loads }: Bounds): number | undefined {
  const overloaded = loads
    .filter(({ good }) => !good)
    .flatMap(({ results }) => results)
    .filter((result) => result.outcome === 'missed' && result.throughput > 0 && isOverloaded(result))
  return overloaded[0]?.throughput
}

/** Whether so much less got through than was offered that the rate is far too high. */
export function isOverloaded({ throughput, rate }: TrialResult): boolean {
  return throughput < OVERLOADED_SHARE * rate
}

/** To three figures, and whole numbers from 100 on: rates that people can read and type. */
export function roundRate(rate: number): number {
  return rate >= 100 ? Math.round(rate) : Number(rate.toPrecision(3))
}

/** How a search goes about its goal. Rates are iterations a second. */
export type SearchPlan = SearchGoal & {
  /** The first rate, and the lowest that is tried where that one fails. */
  rateStart: number
  rateMin: number
  /** Of trials far from capacity. */
  shortSeconds: number
  warmUpSeconds: number
  confirmationSeconds: number
  /** Requests that a trial needs for its quantiles to be judged. */
  samplesMin: number
  /** Of an iteration, as the mix has it; trials tell better. */
  requestsPerIteration: number
}

export const SEARCH_DEFAULTS: SearchPlan = {
  relativeWidth: 0.05,
  trialSeconds: 5,
  /** Four trials: two of them show that a load is met, three that it is not. */
  finalSeconds: 20,
  rateMax: null,
  rateStart: 50,
  rateMin: 1,
  shortSeconds: 2,
  warmUpSeconds: 2,
  confirmationSeconds: 20,
  samplesMin: 200,
  requestsPerIteration: 1,
}

/** No trial takes longer, however few requests come. */
export function trialSecondsMax({ confirmationSeconds }: SearchPlan): number {
  return FINALS_MAX * confirmationSeconds
}

/** Requests that bring enough that have ended within the trial: some are still under way then. */
export function requestsNeeded({ samplesMin }: SearchPlan): number {
  return 1.1 * samplesMin
}
