import { EXIT } from '../contract/breakwater-error.ts'
import type { Capacity } from '../contract/capacity.ts'
import type { Report, RunVerdict } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { countJudged } from './verdict-counts.ts'

/** What the verdict on a search for capacity, or on a load that was held, rests on. */
type CapacityStanding = {
  run: Pick<Run, 'state' | 'strict' | 'search'>
  capacity: Capacity
}

type CapacityCase = {
  /** Why, for people. */
  because: string
  applies: (standing: CapacityStanding) => boolean
  verdict: RunVerdict
  exitCode: Report['exitCode']
}

/**
 * From above, the first that applies decides. A rate that was not found is no failure of the target, so it ends in 0 unless
 * certainty was asked for: by `--strict`, or by a rate that is required.
 */
const CAPACITY_PRECEDENCE: readonly CapacityCase[] = [
  {
    because: 'the search was interrupted before its end: what is known by then is told',
    applies: ({ run }) => run.state === 'interrupted' || run.state === 'running',
    verdict: 'interrupted',
    exitCode: EXIT.interrupted,
  },
  {
    because: 'the rate that was required was not reached',
    applies: ({ run, capacity }) => isBelow(capacity, requiredRate(run)),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    because: 'no rate that was tried meets the objectives',
    applies: ({ run, capacity }) =>
      isSearch(run) &&
      capacity.atLeast === null &&
      capacity.limitedBy !== 'generator' &&
      isLowestMissed(capacity),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    because: 'the objectives were missed while the load was held',
    applies: ({ run, capacity }) => !isSearch(run) && outcomesOf(capacity).includes('missed'),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    because: 'the load generator failed',
    applies: ({ run }) => run.state === 'failed',
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    because: 'no trial could be judged',
    applies: ({ capacity }) => outcomesOf(capacity).every((outcome) => outcome === 'unjudged'),
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    because: 'whether the rate that was required meets the objectives was not shown',
    applies: ({ run, capacity }) => {
      const required = requiredRate(run)
      return required !== null && shownRate(capacity) < required
    },
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
  ...uncertain('the capacity was not found and confirmed', isSearch),
  ...uncertain('whether the target serves the load was not shown', () => true),
]

/** What was asked for is neither met nor missed. */
function uncertain(what: string, isOf: (run: CapacityStanding['run']) => boolean): CapacityCase[] {
  const applies = (standing: CapacityStanding) => isOf(standing.run) && !isSearchCertain(standing)
  return [
    {
      because: `${what}, and --strict asked for certainty`,
      applies: (standing) => standing.run.strict && applies(standing),
      verdict: 'inconclusive',
      exitCode: EXIT.inconclusive,
    },
    { because: what, applies, verdict: 'inconclusive', exitCode: EXIT.ok },
  ]
}

const FOUND: CapacityCase = {
  because: 'the load that was found, or asked for, meets the objectives',
  applies: () => true,
  verdict: 'pass',
  exitCode: EXIT.ok,
}

/** The verdict on the run, its exit code, and why. */
export function judgeCapacityRun(
  standing: CapacityStanding,
): Pick<CapacityCase, 'because' | 'verdict' | 'exitCode'> {
  const { because, verdict, exitCode } = CAPACITY_PRECEDENCE.find((row) => row.applies(standing)) ?? FOUND
  return { because, verdict, exitCode }
}

/** Not one load that was held, nor a fixed profile of them: there all that was asked for is to be met. */
function isSearch({ search }: CapacityStanding['run']): boolean {
  return search !== null && search.stages === null
}

/** Found and held once more; or the highest rate that was asked for is met; or each load of a profile is. */
function isSearchCertain({ run, capacity }: CapacityStanding): boolean {
  if (!isSearch(run)) return outcomesOf(capacity).every((outcome) => outcome === 'met')
  return (capacity.rate !== null && capacity.confirmed) || capacity.limitedBy === 'range'
}

function isBelow(capacity: Capacity, required: number | null): boolean {
  if (required === null) return false
  const shown = capacity.rate ?? Number.POSITIVE_INFINITY
  return shown < required || (missedRate(capacity) ?? Number.POSITIVE_INFINITY) <= required
}

/** The least load that was shown to miss the objectives: `brokeAt` may be what the load generator could not make. */
function missedRate({ loads }: Capacity): number | null {
  return loads.find(({ standing }) => standing === 'upper')?.rate ?? null
}

/** Below it, nothing may be met that could not be judged. */
function isLowestMissed(capacity: Capacity): boolean {
  const missed = missedRate(capacity)
  return (
    missed !== null && !capacity.trials.some(({ outcome, rate }) => outcome === 'unjudged' && rate < missed)
  )
}

function shownRate({ rate, atLeast }: Capacity): number {
  return rate ?? atLeast ?? 0
}

function requiredRate({ search }: CapacityStanding['run']): number | null {
  return search?.rateRequired ?? null
}

function outcomesOf({ trials }: Capacity) {
  return trials.filter(({ phase }) => phase !== 'warm-up').map(({ outcome }) => outcome)
}

/** What the verdict on a whole run rests on. */
export type Standing = {
  run: Pick<Run, 'state' | 'strict' | 'minJudged' | 'sloSkipped' | 'k6' | 'search'>
  rules: Report['rules']
  slo: Report['slo']
  /** Of a search, or of a load that was held: then that decides. */
  capacity: Capacity | null
}

type Case = {
  /** Why, for people. */
  because: string
  applies: (standing: Standing) => boolean
  verdict: RunVerdict
  exitCode: Report['exitCode']
}

/**
 * From above, the first that applies decides. An interrupted run shows its failures but ends in 130: whoever stopped it
 * does not want to hear that the target failed. A failure was seen, so it outranks a load generator that broke down.
 */
const PRECEDENCE: readonly Case[] = [
  {
    because: 'the run was interrupted before its end: what is missing was not judged',
    applies: ({ run }) => run.state === 'interrupted' || run.state === 'running',
    verdict: 'interrupted',
    exitCode: EXIT.interrupted,
  },
  {
    because: 'a rule or an objective failed',
    applies: ({ rules, slo }) =>
      verdictsOf({ rules: rules.filter(({ waiver }) => waiver === null), slo }).includes('fail'),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    because: 'the load generator failed',
    applies: ({ run }) => run.state === 'failed' || (run.k6 !== null && run.k6.exitCode !== 0),
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    because: 'nothing could be judged',
    applies: nothingJudged,
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    because: 'not everything selected could be judged, and --strict asked for certainty',
    applies: (standing) => standing.run.strict && !isCertain(standing),
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
  {
    because: 'fewer rules could be judged than --min-judged asked for',
    applies: ({ run, rules }) => countJudged(rules) < (run.minJudged ?? 0) * rules.length,
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
]

const HELD: Case = {
  because: 'all that was judged held',
  applies: () => true,
  verdict: 'pass',
  exitCode: EXIT.ok,
}

/** The verdict on a run, its exit code, and why. */
export function judgeRun(standing: Standing): Pick<Case, 'because' | 'verdict' | 'exitCode'> {
  const { run, capacity } = standing
  if (capacity !== null) return judgeCapacityRun({ run, capacity })
  const { because, verdict, exitCode } = PRECEDENCE.find((row) => row.applies(standing)) ?? HELD
  return { because, verdict, exitCode }
}

/** Where rules were selected, a held objective does not stand in for them. */
function nothingJudged({ rules, slo }: Standing): boolean {
  const judged = rules.length > 0 ? rules : (slo?.objectives ?? [])
  return !judged.some(({ verdict }) => verdict === 'pass' || verdict === 'fail')
}

function isCertain(standing: Standing): boolean {
  const isOpen = (verdict: string) => verdict === 'inconclusive' || verdict === 'skipped'
  return standing.run.sloSkipped === null && !verdictsOf(standing).some(isOpen)
}

function verdictsOf({ rules, slo }: Pick<Standing, 'rules' | 'slo'>): string[] {
  return [...rules, ...(slo?.objectives ?? [])].map(({ verdict }) => verdict)
}
