import { EXIT } from '../contract/breakwater-error.ts'
import type { Capacity } from '../contract/capacity.ts'
import type { Report, RuleResult, RunVerdict } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { countJudged } from './verdict-counts.ts'

type CapacityStanding = {
  run: Pick<Run, 'state' | 'strict' | 'search'>
  capacity: Capacity
  /** Those that the operation log can show. */
  rules?: readonly RuleResult[]
}

type CapacityCase = {
  reason: string
  applies: (standing: CapacityStanding) => boolean
  verdict: RunVerdict
  exitCode: Report['exitCode']
}

/**
 * The first match decides. A search without a result is not a failure of the target, so it exits with 0, unless
 * `--strict` or a required rate needs certainty.
 */
const CAPACITY_PRECEDENCE: readonly CapacityCase[] = [
  {
    reason: 'the search was interrupted: the result covers the trials until then',
    applies: ({ run }) => run.state === 'interrupted' || run.state === 'running',
    verdict: 'interrupted',
    exitCode: EXIT.interrupted,
  },
  {
    reason: 'a rule failed under load',
    applies: ({ rules = [] }) => rules.some(({ verdict, waiver }) => verdict === 'fail' && waiver === null),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    reason: 'the required rate was not reached',
    applies: ({ run, capacity }) => isBelow(capacity, requiredRate(run)),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    reason: 'no rate tried meets the objectives',
    applies: ({ run, capacity }) =>
      isSearch(run) &&
      capacity.highestPassingRate === null &&
      capacity.limitedBy !== 'generator' &&
      isLowestMissed(capacity),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    reason: 'the load missed the objectives',
    applies: ({ run, capacity }) => !isSearch(run) && listOutcomes(capacity).includes('fail'),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    reason: 'the load generator failed',
    applies: ({ run }) => run.state === 'failed',
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    reason: 'no trial could be judged',
    // A search needs a trial with a verdict; of a load, each objective counts.
    applies: ({ run, capacity }) =>
      listOutcomes(capacity).every((outcome) => outcome === 'inconclusive') &&
      (isSearch(run) || !capacity.trials.some(({ partlyJudged }) => partlyJudged)),
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    reason: 'it was not shown that the required rate meets the objectives',
    applies: ({ run, capacity }) => {
      const required = requiredRate(run)
      return required !== null && shownRate(capacity) < required
    },
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
  {
    // Skipped rules do not count: a short load has no operation that could break them, such as a refresh.
    reason: 'a rule is inconclusive under load, and --strict requires certainty',
    applies: ({ run, rules = [] }) => run.strict && rules.some(({ verdict }) => verdict === 'inconclusive'),
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
  ...uncertain('no confirmed capacity was found', isSearch),
  ...uncertain('it was not shown that the target serves the load', () => true),
]

function uncertain(what: string, isMatch: (run: CapacityStanding['run']) => boolean): CapacityCase[] {
  const applies = (standing: CapacityStanding) => isMatch(standing.run) && !isSearchCertain(standing)
  return [
    {
      reason: `${what}, and --strict requires certainty`,
      applies: (standing) => standing.run.strict && applies(standing),
      verdict: 'inconclusive',
      exitCode: EXIT.inconclusive,
    },
    { reason: what, applies, verdict: 'inconclusive', exitCode: EXIT.ok },
  ]
}

const FOUND: CapacityCase = {
  reason: 'the load meets the objectives',
  applies: () => true,
  verdict: 'pass',
  exitCode: EXIT.ok,
}

export function judgeCapacityRun(
  standing: CapacityStanding,
): Pick<CapacityCase, 'reason' | 'verdict' | 'exitCode'> {
  const { reason, verdict, exitCode } = CAPACITY_PRECEDENCE.find((row) => row.applies(standing)) ?? FOUND
  return { reason, verdict, exitCode }
}

/** False for a held load or fixed stages, where every requested load must be met. */
function isSearch({ search }: CapacityStanding['run']): boolean {
  return search !== null && search.stages === null
}

/** A search is certain if its rate is confirmed, or the highest requested rate passes; a profile, if every load does. */
function isSearchCertain({ run, capacity }: CapacityStanding): boolean {
  if (!isSearch(run)) return listOutcomes(capacity).every((outcome) => outcome === 'pass')
  return (capacity.rate !== null && capacity.confirmed) || capacity.limitedBy === 'range'
}

function isBelow(capacity: Capacity, required: number | null): boolean {
  if (required === null) return false
  const shown = capacity.rate ?? Number.POSITIVE_INFINITY
  return shown < required || (missedRate(capacity) ?? Number.POSITIVE_INFINITY) <= required
}

/** The lowest load shown to miss the objectives. `lowestFailingRate` may instead be a load that the generator could not produce. */
function missedRate({ loads }: Capacity): number | null {
  return loads.find(({ bound }) => bound === 'upper')?.rate ?? null
}

function isLowestMissed(capacity: Capacity): boolean {
  const missed = missedRate(capacity)
  return (
    missed !== null &&
    !capacity.trials.some(({ outcome, rate }) => outcome === 'inconclusive' && rate < missed)
  )
}

function shownRate({ rate, highestPassingRate }: Capacity): number {
  return rate ?? highestPassingRate ?? 0
}

function requiredRate({ search }: CapacityStanding['run']): number | null {
  return search?.rateRequired ?? null
}

function listOutcomes({ trials }: Capacity) {
  return trials.filter(({ phase }) => phase !== 'warm-up').map(({ outcome }) => outcome)
}

export type Standing = {
  run: Pick<Run, 'state' | 'strict' | 'minJudged' | 'sloSkipped' | 'k6' | 'search'>
  rules: Report['rules']
  slo: Report['slo']
  /** If set (search or held load), it alone decides. */
  capacity: Capacity | null
}

type Case = {
  reason: string
  applies: (standing: Standing) => boolean
  verdict: RunVerdict
  exitCode: Report['exitCode']
}

/**
 * The first match decides. An interrupted run shows its failures but exits with 130, because whoever stopped it does
 * not expect a failure. A failure outranks a broken load generator because it was observed.
 */
const PRECEDENCE: readonly Case[] = [
  {
    reason: 'the run was interrupted: the rest was not judged',
    applies: ({ run }) => run.state === 'interrupted' || run.state === 'running',
    verdict: 'interrupted',
    exitCode: EXIT.interrupted,
  },
  {
    reason: 'a rule or an objective failed',
    applies: ({ rules, slo }) =>
      listVerdicts({ rules: rules.filter(({ waiver }) => waiver === null), slo }).includes('fail'),
    verdict: 'fail',
    exitCode: EXIT.failed,
  },
  {
    reason: 'the load generator failed',
    applies: ({ run }) => run.state === 'failed' || (run.k6 !== null && run.k6.exitCode !== 0),
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    reason: 'nothing could be judged',
    applies: nothingJudged,
    verdict: 'inconclusive',
    exitCode: EXIT.environment,
  },
  {
    reason: 'not everything selected could be judged, and --strict requires certainty',
    applies: (standing) => standing.run.strict && !isCertain(standing),
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
  {
    reason: 'fewer rules were judged than --min-judged requires',
    applies: ({ run, rules }) => countJudged(rules) < (run.minJudged ?? 0) * rules.length,
    verdict: 'inconclusive',
    exitCode: EXIT.inconclusive,
  },
]

const HELD: Case = {
  reason: 'all judged rules and objectives passed',
  applies: () => true,
  verdict: 'pass',
  exitCode: EXIT.ok,
}

export function judgeRun(standing: Standing): Pick<Case, 'reason' | 'verdict' | 'exitCode'> {
  const { run, capacity, rules } = standing
  if (capacity !== null) return judgeCapacityRun({ run, capacity, rules })
  const { reason, verdict, exitCode } = PRECEDENCE.find((row) => row.applies(standing)) ?? HELD
  return { reason, verdict, exitCode }
}

/** If rules were selected, objectives alone do not count as a judged run. */
function nothingJudged({ rules, slo }: Standing): boolean {
  const judged = rules.length > 0 ? rules : (slo?.objectives ?? [])
  return !judged.some(({ verdict }) => verdict === 'pass' || verdict === 'fail')
}

function isCertain(standing: Standing): boolean {
  const isOpen = (verdict: string) => verdict === 'inconclusive' || verdict === 'skipped'
  return standing.run.sloSkipped === null && !listVerdicts(standing).some(isOpen)
}

function listVerdicts({ rules, slo }: Pick<Standing, 'rules' | 'slo'>): string[] {
  return [...rules, ...(slo?.objectives ?? [])].map(({ verdict }) => verdict)
}
