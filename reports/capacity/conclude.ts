import type { Capacity, SearchGoal, TrialResult } from '../../contract/capacity.ts'
import { figure } from '../objective-text.ts'
import { concludeStages } from './conclude-stages.ts'
import {
  type Bounds,
  failsByGenerator,
  findBounds,
  isConfirmed,
  isNarrow,
  type TriedLoad,
  widthOf,
} from './find-bounds.ts'
import { limitsOfTarget } from './limited-by.ts'

type Conclusion = Omit<Capacity, 'scalability' | 'scalabilityReason'>

/** The part that the trials decide. */
export type Finding = Pick<Capacity, 'rate' | 'limitedBy' | 'atLeast' | 'brokeAt' | 'statement'>

type Options = {
  mix: string
  results: readonly TrialResult[]
  goal: SearchGoal
  budget: Capacity['budget']
  interrupted: boolean
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
  const known = { rate: null, atLeast: lower?.rate ?? null, brokeAt: upper?.rate ?? null }
  const brokenOff = options.interrupted ? 'interrupted' : 'budget'
  if (upper === undefined) {
    if (lower === undefined) return nothingKnown(options, { ...known, limitedBy: brokenOff })
    const isRange = lower.rate === options.goal.rateMax && lower.standing === 'lower'
    const why = isRange
      ? 'the highest rate that was asked for'
      : `the highest rate that was tried${CUT[brokenOff]}`
    return {
      ...known,
      limitedBy: isRange ? 'range' : brokenOff,
      statement: `at least ${iterations(lower.rate)}, ${why}${heldText(lower)}`,
    }
  }
  const broke = `at ${figure(upper.rate)}: ${becauseOf(upper)}`
  if (failsByGenerator(upper)) {
    const most = lower === undefined ? 'nothing known of the target' : `at least ${iterations(lower.rate)}`
    return { ...known, limitedBy: 'generator', statement: `generator-limited, ${most}; ${broke}` }
  }
  const limitedBy = isTargetFull(upper) ? 'target' : 'slo'
  if (lower === undefined) {
    return upper.standing === 'upper'
      ? { ...known, limitedBy, statement: `no rate that was tried meets the objectives; ${broke}` }
      : {
          ...known,
          limitedBy: brokenOff,
          statement: `no rate met the objectives so far${CUT[brokenOff]}; ${broke}`,
        }
  }
  if (!isDecided(lower, upper, options.goal)) {
    const statement = `at least ${iterations(lower.rate)}, and fewer than ${figure(upper.rate)}${CUT[brokenOff]}; ${broke}`
    return { ...known, limitedBy: brokenOff, statement }
  }
  const statement = `${iterations(lower.rate)}${heldText(lower)}${fellText(bounds)}; ${broke}`
  return { ...known, rate: lower.rate, limitedBy, statement }
}

const CUT = {
  interrupted: ' before the search was interrupted',
  budget: ' before the budget of the search was used up',
} as const

/** Whether the lower bound is shown to be met, the upper one to be missed, and nothing worth knowing lies between. */
function isDecided(lower: TriedLoad, upper: TriedLoad, { relativeWidth }: SearchGoal): boolean {
  const areStanding = lower.standing === 'lower' && upper.standing === 'upper'
  return areStanding && isNarrow(widthOf(lower, upper), relativeWidth)
}

function iterations(rate: number): string {
  return `${figure(rate)} iterations a second`
}

function heldText(load: TriedLoad): string {
  const confirmation = load.results.find(
    ({ phase, outcome }) => phase === 'confirmation' && outcome === 'met',
  )
  return confirmation === undefined
    ? ' (not confirmed by a longer run)'
    : `, which held for ${confirmation.seconds} s`
}

function fellText({ upper }: Bounds): string {
  const fell = upper?.results.find(({ phase, outcome }) => phase === 'confirmation' && outcome !== 'met')
  if (upper === undefined || fell === undefined) return ''
  return `; the search had found ${figure(upper.rate)}, which did not hold for ${fell.secondsPlanned} s`
}

/** Whether the target's own metrics showed it at its limit where it missed. */
function isTargetFull({ results }: TriedLoad): boolean {
  return results.some((result) => result.outcome === 'missed' && limitsOfTarget(result).length > 0)
}

/** As the latest trial that was not met says. */
function becauseOf({ results }: TriedLoad): string {
  return results.findLast(({ outcome }) => outcome !== 'met')?.because ?? 'too few trials met the objectives'
}

function nothingKnown({ results, interrupted }: Options, known: Omit<Finding, 'statement'>): Finding {
  const last = results.at(-1)
  if (last === undefined) return { ...known, statement: 'nothing is known: no trial was made' }
  const limitedBy = interrupted ? 'interrupted' : null
  return { ...known, limitedBy, statement: `nothing is known; at ${figure(last.rate)}: ${last.because}` }
}

function requestsPerSecondOf({ results }: TriedLoad): number | null {
  const met = results.filter(({ outcome }) => outcome === 'met')
  const seconds = met.reduce((sum, each) => sum + each.seconds, 0)
  return seconds === 0 ? null : met.reduce((sum, { requests }) => sum + requests, 0) / seconds
}
