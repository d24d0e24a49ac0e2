import type { Load, SearchGoal, TrialResult } from '../../contract/capacity.ts'
import { classifyLoads, isOfGenerator } from './classify-loads.ts'

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
