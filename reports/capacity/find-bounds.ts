import type { Load, SearchGoal, TrialResult } from '../../contract/capacity.ts'

/** A load with its trials. `good`: it passes, or most of its trial time does if it is undecided. */
export type TriedLoad = Load & { good: boolean; results: TrialResult[] }

export type Bounds = {
  loads: TriedLoad[]
  /** The highest good load below all bad ones, and the lowest bad one. */
  lower: TriedLoad | undefined
  upper: TriedLoad | undefined
}

export function findBounds(results: readonly TrialResult[], goal: SearchGoal): Bounds {
  const loads = classifyLoads(results, goal).flatMap((load) => {
    const own = results.filter(
      ({ trial, outcome }) => load.trials.includes(trial) && outcome !== 'inconclusive',
    )
    return own.length === 0 ? [] : [{ ...load, results: own, good: isGood(load, own) }]
  })
  const upper = loads.find(({ good }) => !good)
  const lower = loads.findLast(({ good, rate }) => good && (upper === undefined || rate < upper.rate))
  return { loads, lower, upper }
}

function isGood({ bound }: Load, results: readonly TrialResult[]): boolean {
  if (bound !== 'undecided') return bound === 'lower'
  const time = (wanted: boolean) =>
    results
      .filter(({ outcome }) => (outcome === 'pass') === wanted)
      .reduce((sum, { secondsPlanned }) => sum + secondsPlanned, 0)
  return time(true) > time(false)
}

export function computeRelativeWidth(lower: { rate: number }, upper: { rate: number }): number {
  return 1 - lower.rate / upper.rate
}

/** With slack, because rates are rounded. */
export function isNarrow(width: number, relativeWidth: number): boolean {
  return width <= 1.1 * relativeWidth
}

export function failsByGenerator({ good, results }: TriedLoad): boolean {
  return !good && isGeneratorLimited(results)
}

export function isConfirmed({ good, results }: TriedLoad): boolean {
  return good && results.some(({ phase, outcome }) => phase === 'confirmation' && outcome === 'pass')
}

/** The share of trial time that may fail while a load still passes. With 0.5, the majority decides. */
const EXCEED_RATIO = 0.5

/** By rising rate. */
export function classifyLoads(results: readonly TrialResult[], goal: SearchGoal): Load[] {
  const searched = results.filter(({ phase }) => phase === 'search' || phase === 'confirmation')
  const rates = [...new Set(searched.map(({ rate }) => rate))].sort((left, right) => left - right)
  return rates.map((rate) => {
    const trials = searched.filter((result) => result.rate === rate)
    return { rate, bound: classifyLoad(trials, goal), trials: trials.map(({ trial }) => trial) }
  })
}

/**
 * Load classification of MLRsearch (draft-ietf-bmwg-mlrsearch): a load is decided once the remaining trials up to the
 * full duration cannot change the result. Short trials count only beyond the allowed ratio of failures: they can show
 * a miss but not a pass.
 */
export function classifyLoad(trials: readonly TrialResult[], goal: SearchGoal): Load['bound'] {
  const sums = durationSums(trials, goal)
  const excused = (sums.shortGood * EXCEED_RATIO) / (1 - EXCEED_RATIO)
  const bad = sums.longBad + Math.max(0, sums.shortBad - excused)
  const whole = Math.max(sums.longGood + bad, goal.finalSeconds)
  const badMax = whole * EXCEED_RATIO
  if (whole - sums.longGood <= badMax) return 'lower'
  if (bad <= badMax) return 'undecided'
  return isGeneratorLimited(trials) ? 'generator-limited' : 'upper'
}

function isGeneratorLimited(trials: readonly TrialResult[]): boolean {
  const seconds = (wanted: TrialResult['outcome']) =>
    trials
      .filter(({ outcome }) => outcome === wanted)
      .reduce((sum, { secondsPlanned }) => sum + secondsPlanned, 0)
  return seconds('generator-limited') > seconds('fail')
}

type DurationSums = { longGood: number; longBad: number; shortGood: number; shortBad: number }

/** Uses the planned duration, so that a trial aborted as hopeless counts in full. */
function durationSums(trials: readonly TrialResult[], { trialSeconds }: SearchGoal): DurationSums {
  const sums = { longGood: 0, longBad: 0, shortGood: 0, shortBad: 0 }
  for (const { outcome, secondsPlanned } of trials) {
    if (outcome === 'inconclusive') continue
    const length = secondsPlanned >= trialSeconds ? 'long' : 'short'
    sums[`${length}${outcome === 'pass' ? 'Good' : 'Bad'}`] += secondsPlanned
  }
  return sums
}
