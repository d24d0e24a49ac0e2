import { EXIT } from '../contract/breakwater-error.ts'
import type { Capacity } from '../contract/capacity.ts'
import type { Report, RunVerdict } from '../contract/report.ts'
import type { Run } from '../contract/run.ts'
import { judgeCapacityRun } from './capacity/judge-capacity-run.ts'
import { countJudged } from './verdict-counts.ts'

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
