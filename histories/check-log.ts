import { stat } from 'node:fs/promises'
import type { Finding } from '../contract/finding.ts'
import type { Histories } from '../contract/history.ts'
import { HISTORY_RULES } from '../contract/rules/history.ts'
import { type Contradiction, checkHistory, listExercised } from './check-history.ts'
import { describeViolation, listEvidence } from './describe.ts'
import { type History, type LogRead, readLog } from './read-log.ts'
import { createSurvivors } from './survivors.ts'

export type LogChecked = { findings: Finding[]; histories: Histories }

/** Bytes whose operations are in memory at once: about a million operations. */
const PART_BYTES = 32 << 20
/** Contradictions examined per rule; others are only counted. */
const EXAMINED_MAX = 50
const DRAWN_MAX = 3

type Tally = {
  contradictions: Contradiction[]
  found: number
  /** Number of operations that could have violated the rule. */
  exercised: number
}

/** Checks the operation log of a load. Returns a finding for each of the rules, and the violations to draw. */
export async function checkLog(
  file: string,
  { rules, nowMs, partBytes = PART_BYTES }: { rules: readonly string[]; nowMs: number; partBytes?: number },
): Promise<LogChecked> {
  const parts = Math.max(1, Math.ceil((await readSize(file)) / partBytes))
  const tallies = new Map(
    rules.map((rule): [string, Tally] => [rule, { contradictions: [], found: 0, exercised: 0 }]),
  )
  const survivors = createSurvivors()
  const read = await eachHistory(file, parts, (history) => {
    for (const rule of listExercised(history)) {
      const tally = tallies.get(rule)
      if (tally !== undefined) tally.exercised += 1
    }
    const contradictions = checkHistory(history, (rule) => (tallies.get(rule)?.found ?? 0) < EXAMINED_MAX)
    for (const contradiction of contradictions)
      addContradiction(tallies.get(contradiction.rule), contradiction)
    survivors.suspect(history, contradictions)
  })
  // Rarely needed, so it is a second pass over the log instead of a table of all credentials.
  if (survivors.isNeeded()) await eachHistory(file, parts, survivors.see)

  const violations = new Map<string, Contradiction[]>()
  const findings = [...tallies].map(([rule, tally]): Finding => {
    const certain = tally.contradictions.filter(
      (each) => each.reason === null && survivors.findDoubt(each) === null,
    )
    violations.set(rule, certain)
    const doubt = tally.contradictions
      .map((each) => each.reason ?? survivors.findDoubt(each))
      .find((why) => why !== null)
    return buildFinding({ rule, nowMs, ...judge({ tally, certain, doubt, read }) })
  })
  const failed = findings.filter(({ verdict }) => verdict === 'fail')
  return {
    findings,
    histories: {
      version: 1,
      operations: read.operations,
      violations: failed.flatMap(({ rule }) =>
        (violations.get(rule) ?? []).slice(0, DRAWN_MAX).map(describeViolation),
      ),
    },
  }
}

function addContradiction(tally: Tally | undefined, contradiction: Contradiction): void {
  if (tally === undefined) return
  tally.found += 1
  if (tally.contradictions.length < EXAMINED_MAX) tally.contradictions.push(contradiction)
}

type Judgment = Pick<Finding, 'verdict' | 'observed' | 'evidence' | 'reason'>

function judge(options: {
  tally: Tally
  certain: readonly Contradiction[]
  doubt: string | null | undefined
  read: Pick<LogRead, 'operations' | 'incomplete' | 'isFull'>
}): Judgment {
  const { tally, certain, doubt, read } = options
  const { found, exercised } = tally
  const undecided = (reason: string): Judgment => ({
    verdict: 'inconclusive',
    observed: '',
    evidence: [],
    reason,
  })
  if (read.incomplete !== null) return undecided(read.incomplete)
  const [first] = certain
  if (first !== undefined) {
    const violation = describeViolation(first)
    const others = found - 1
    return {
      verdict: 'fail',
      observed: `${violation.observed}${others === 0 ? '' : ` (and ${others} more)`}`,
      evidence: listEvidence(violation),
    }
  }
  if (typeof doubt === 'string') return undecided(doubt)
  if (exercised === 0)
    return {
      verdict: 'skipped',
      observed: '',
      evidence: [],
      reason: 'no recorded operation could violate the rule',
    }
  const limit = read.isFull ? '; the log was full before the end of the load' : ''
  return { verdict: 'pass', observed: `${exercised} histories, no contradiction${limit}`, evidence: [] }
}

function buildFinding({ rule, nowMs, ...judgment }: Judgment & { rule: string; nowMs: number }): Finding {
  const expected = HISTORY_RULES.find(({ id }) => id === rule)?.expected ?? ''
  return { finding: 1, rule, expected, scenario: 'history', at: nowMs, ...judgment }
}

async function eachHistory(
  file: string,
  parts: number,
  use: (history: History) => void,
): Promise<Omit<LogRead, 'histories'>> {
  let read: LogRead = { histories: [], operations: 0, incomplete: 'there is no operation log', isFull: false }
  for (let part = 0; part < parts; part++) {
    read = await readLog(file, { part, parts }).catch(() => read)
    read.histories.forEach(use)
    // Frees them before the next part is read.
    read.histories = []
  }
  return read
}

async function readSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}
