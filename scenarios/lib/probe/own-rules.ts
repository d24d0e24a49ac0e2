import exec from 'k6/execution'
import type { Options } from 'k6/options'
import type { Verdict } from '../../../contract/finding.ts'
import { closeFeeds } from '../feed/feed.ts'
import { endReadSessions } from '../identity/credential.ts'
import { COMMON_OPTIONS, lane } from '../lane.ts'
import { type Judge, judgeProbe } from '../verdict/judge.ts'
import { emitFinding } from './emit-finding.ts'

/** What a client sees where the rule holds, by the rule's id, which begins with `own.`. */
export type OwnRules = Readonly<Record<string, string>>

let declared: OwnRules = {}

/** k6's options of a scenario of one's own, with the rules that it judges: the command reads them before it starts. */
export function scenarioOptions({ rules = {}, ...options }: Options & { rules?: OwnRules }): Options {
  declared = rules
  return { ...COMMON_OPTIONS, ...options, ext: { ...options.ext, breakwater: { rules } } }
}

/** The k6 scenario of a probe of one's own: one VU, once, ended after so many seconds. */
export function once(exec: string, { secondsMax = 240 } = {}): NonNullable<Options['scenarios']> {
  const scenarios = lane(exec)
  return { [exec]: { ...scenarios[exec], maxDuration: `${secondsMax}s` } as (typeof scenarios)[string] } // as: the same executor
}

/** What this VU has said of each rule: in a load, every iteration would say it again. */
const said = new Map<string, Set<Verdict>>()

/**
 * Runs a probe of one's own: each of its rules gets a verdict, `inconclusive` where the probe leaves it open or throws.
 * Sockets that it left open are closed, and sessions for its reads ended. Of several verdicts on a rule in a run the
 * weakest counts.
 */
export async function judge(
  rules: readonly string[],
  run: (verdict: Judge) => Promise<void> | void,
): Promise<void> {
  const unknown = rules.filter((rule) => !(rule in declared))
  if (unknown.length > 0) throw new Error(`not declared in scenarioOptions: ${unknown.join(', ')}`)
  await judgeProbe({
    rules,
    expectedOf: (rule) => declared[rule] ?? '',
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
