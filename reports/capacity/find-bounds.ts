import type { Load, SearchGoal, TrialResult } from '../../contract/capacity.ts'

/** A load with its trials. `good`: decided so, or as most of its time says while it is not decided. */
export type TriedLoad = Load & { good: boolean; results: TrialResult[] }

export type Bounds = {
  loads: TriedLoad[]
  /** The greatest load that is good, of those below all that are bad; and the least that is bad. */
  lower: TriedLoad | undefined
  upper: TriedLoad | undefined
}

/** Where capacity lies by what the trials say so far. */
export function findBounds(results: readonly TrialResult[], goal: SearchGoal): Bounds {
  const loads = classifyLoads(results, goal).flatMap((load) => {
    const own = results.filter(({ trial, outcome }) => load.trials.includes(trial) && outcome !== 'unjudged')
    return own.length === 0 ? [] : [{ ...load, results: own, good: isGood(load, own) }]
  })
  const upper = loads.find(({ good }) => !good)
  const lower = loads.findLast(({ good, rate }) => good && (upper === undefined || rate < upper.rate))
  return { loads, lower, upper }
}

function isGood({ standing }: Load, results: readonly TrialResult[]): boolean {
  if (standing !== 'undecided') return standing === 'lower'
  const time = (wanted: boolean) =>
    results
      .filter(({ outcome }) => (outcome === 'met') === wanted)
      .reduce((sum, { secondsPlanned }) => sum + secondsPlanned, 0)
  return time(true) > time(false)
}

/** How far the bounds are apart, relative to the upper one. */
export function widthOf(lower: { rate: number }, upper: { rate: number }): number {
  return 1 - lower.rate / upper.rate
}

/** Rates are rounded, so a width may be a little more than what was aimed at. */
export function isNarrow(width: number, relativeWidth: number): boolean {
  return width <= 1.1 * relativeWidth
}

/** Whether it was the load generator that gave out there, and not the target. */
export function failsByGenerator({ good, results }: TriedLoad): boolean {
  return !good && isOfGenerator(results)
}

/** Whether it held for the longer time of a confirmation. */
export function isConfirmed({ good, results }: TriedLoad): boolean {
  return good && results.some(({ phase, outcome }) => phase === 'confirmation' && outcome === 'met')
}

/**
 * Of the trials of a load, the share (by time) that may be bad where the load still counts as met: with a half, the
 * majority decides.
 */
const EXCEED_RATIO = 0.5

/** The loads tried, by rising rate. */
export function classifyLoads(results: readonly TrialResult[], goal: SearchGoal): Load[] {
  const searched = results.filter(({ phase }) => phase === 'search' || phase === 'confirmation')
  const rates = [...new Set(searched.map(({ rate }) => rate))].sort((left, right) => left - right)
  return rates.map((rate) => {
    const trials = searched.filter((result) => result.rate === rate)
    return { rate, standing: standingOf(trials, goal), trials: trials.map(({ trial }) => trial) }
  })
}

/**
 * As MLRsearch classifies a load (draft-ietf-bmwg-mlrsearch, Load Classification): decided where the trials still missing
 * to the full duration could not turn it, even if all of them came out the other way. Short trials count only where more of
 * them are bad than the ratio allows: too short to show that a load is met, they can show that it is not.
 */
export function standingOf(trials: readonly TrialResult[], goal: SearchGoal): Load['standing'] {
  const sums = durationSums(trials, goal)
  const excused = (sums.shortGood * EXCEED_RATIO) / (1 - EXCEED_RATIO)
  const bad = sums.longBad + Math.max(0, sums.shortBad - excused)
  const whole = Math.max(sums.longGood + bad, goal.finalSeconds)
  const badMax = whole * EXCEED_RATIO
  if (whole - sums.longGood <= badMax) return 'lower'
  if (bad <= badMax) return 'undecided'
  return isOfGenerator(trials) ? 'generator' : 'upper'
}

/** Whether, of the time that was not met, the load generator is to blame for most. */
function isOfGenerator(trials: readonly TrialResult[]): boolean {
  const seconds = (wanted: TrialResult['outcome']) =>
    trials
      .filter(({ outcome }) => outcome === wanted)
      .reduce((sum, { secondsPlanned }) => sum + secondsPlanned, 0)
  return seconds('generator') > seconds('missed')
}

type DurationSums = { longGood: number; longBad: number; shortGood: number; shortBad: number }

/** By the time that was planned: a trial that was broken off as hopeless is as bad as if it had gone on. */
function durationSums(trials: readonly TrialResult[], { trialSeconds }: SearchGoal): DurationSums {
  const sums = { longGood: 0, longBad: 0, shortGood: 0, shortBad: 0 }
  for (const { outcome, secondsPlanned } of trials) {
    if (outcome === 'unjudged') continue
    const length = secondsPlanned >= trialSeconds ? 'long' : 'short'
    sums[`${length}${outcome === 'met' ? 'Good' : 'Bad'}`] += secondsPlanned
  }
  return sums
}
