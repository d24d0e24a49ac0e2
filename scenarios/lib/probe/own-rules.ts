import exec from 'k6/execution'
import type { Options } from 'k6/options'
import type { Verdict } from '../../../contract/finding.ts'
import { closeFeeds } from '../feed/feed.ts'
import { endReadSessions } from '../identity/credential.ts'
import { COMMON_OPTIONS, lane } from '../lane.ts'
import { type Judge, judgeProbe } from '../verdict/judge.ts'
import { emitFinding } from './emit-finding.ts'

/** Observable promises by rule id (`own.…`). */
export type OwnRules = Readonly<Record<string, string>>

let declared: OwnRules = {}

/** k6 options of a custom scenario with the rules that it judges; the command reads them before the start. */
export function scenarioOptions({ rules = {}, ...options }: Options & { rules?: OwnRules }): Options {
  declared = rules
  return { ...COMMON_OPTIONS, ...options, ext: { ...options.ext, breakwater: { rules } } }
}

/** The k6 scenario of a custom probe: one VU, one iteration, with a time limit. */
export function once(exec: string, { secondsMax = 240 } = {}): NonNullable<Options['scenarios']> {
  const scenarios = lane(exec)
  return { [exec]: { ...scenarios[exec], maxDuration: `${secondsMax}s` } as (typeof scenarios)[string] } // as: the same executor
}

/** Verdicts already emitted per rule; otherwise every iteration of a load would repeat them. */
const said = new Map<string, Set<Verdict>>()

/**
 * Runs a custom probe: each rule gets a verdict, `inconclusive` if the probe leaves it open or throws. Closes
 * open sockets and read sessions. If a rule gets several verdicts in a run, the weakest counts.
 */
export async function judge(
  rules: readonly string[],
  run: (verdict: Judge) => Promise<void> | void,
): Promise<void> {
  const unknown = rules.filter((rule) => !(rule in declared))
  if (unknown.length > 0) throw new Error(`rules not declared in scenarioOptions: ${unknown.join(', ')}`)
  await judgeProbe({
    rules,
    getExpected: (rule) => declared[rule] ?? '',
    run: async (verdict) => run(verdict),
    scenario: exec.scenario.name,
    nowMs: Date.now,
    emit: (finding) => {
      const before = said.get(finding.rule) ?? new Set()
      if (before.has(finding.verdict)) return
      said.set(finding.rule, before.add(finding.verdict))
      emitFinding(finding)
    },
  })
  await closeFeeds()
  await endReadSessions()
}
