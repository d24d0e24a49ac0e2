import { stat } from 'node:fs/promises'
import type { Finding } from '../contract/finding.ts'
import {
  HISTORY_KINDS,
  type Histories,
  type HistoryViolation,
  isAccepted,
  type Operation,
} from '../contract/history.ts'
import { HISTORY_RULES } from '../contract/rules/history.ts'
import { type Contradiction, checkHistory, listExercised } from './check-history.ts'
import { EVENT_TYPES } from './check-socket.ts'
import { SESSION_RULES, TOKEN_RULES } from './models.ts'
import { type History, type LogRead, readLog } from './read-log.ts'

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

/** The part of a history that shows a violation, as lanes over time. */
function describeViolation(contradiction: Contradiction): HistoryViolation {
  const { rule, key, operations } = contradiction
  const startUs = Math.min(...operations.map(({ call }) => call))
  const toMs = (us: number) => Math.round(us - startUs) / 1000
  const rooms = [...new Set(operations.filter(isOfRoom).map(({ argument }) => argument))]
  const observed =
    contradiction.observed ?? `no order of ${operations.length} operations explains their responses`
  return {
    rule,
    key,
    observed: `${key}: ${observed}`,
    operations: operations.map((operation) => ({
      does: describeCall(operation, rooms),
      outcome: describeOutcome(operation),
      accepted: isOfSocket(operation) || isAccepted(operation.status),
      fromMs: toMs(operation.call),
      toMs: operation.return === Number.POSITIVE_INFINITY ? null : toMs(operation.return),
    })),
  }
}

function isOfSocket({ kind }: Operation): boolean {
  return HISTORY_KINDS[kind].family === 'socket'
}

function isOfRoom({ kind, argument }: Operation): boolean {
  return (kind === 'J' || kind === 'V' || kind === 'E') && argument !== null
}

/** The log does not have the names of rooms, so the rooms of a violation are numbered. */
function describeCall(operation: Operation, rooms: readonly (number | null)[]): string {
  const { kind, argument, status } = operation
  const { does } = HISTORY_KINDS[kind]
  if (kind === 'J' || kind === 'V' || kind === 'E') {
    const room = isOfRoom(operation) ? `, room ${rooms.indexOf(argument) + 1}` : ''
    return `${does} ${EVENT_TYPES[status] ?? ''}${room}`
  }
  if (kind === 'P') return `${does}, minimum_revision ${argument}`
  return argument === null || (kind !== 'R' && kind !== 'U') ? does : `${does} with token ${argument}`
}

function describeOutcome(operation: Operation): string {
  const { kind, status, value } = operation
  if (operation.return === Number.POSITIVE_INFINITY) return 'no response yet'
  if (isOfSocket(operation)) return kind === 'Y' ? 'synchronized' : ''
  if (kind === 'H') return isAccepted(status) ? 'served' : 'not served'
  if (status === 0) return 'no response'
  if (kind === 'P' && value !== null) return `${status}, revision ${value}`
  return kind === 'R' && value !== null ? `${status}, token ${value}` : String(status)
}

/** One line per operation, for evidence. */
function listEvidence({ operations }: HistoryViolation): string[] {
  return operations.map(
    ({ does, outcome, fromMs, toMs }) =>
      `${fromMs} to ${toMs ?? '?'} ms: ${does}${outcome === '' ? '' : ` -> ${outcome}`}`,
  )
}

/** The rules that a reset of the target would break, too: it ends all credentials at once. */
const ENDS_EARLY: ReadonlySet<string> = new Set([SESSION_RULES.lasts, TOKEN_RULES.lasts])

/** A credential that ended without a cause. */
type Death = {
  contradiction: Contradiction
  wallet: number | null
  family: string
  startUs: number
  atUs: number
}

/**
 * Distinguishes a target that ends one credential from a target that was reset, redeployed without its state, or that
 * drops the oldest credential of a wallet: then no older credential of the wallet works afterwards.
 */
function createSurvivors() {
  const deaths: Death[] = []
  const certain = new Set<Contradiction>()
  const seen = new Map<string, Death[]>()
  return {
    /** Call for each history with its contradictions, in the first pass. */
    suspect({ family, operations }: History, contradictions: readonly Contradiction[]): void {
      for (const contradiction of contradictions) {
        if (!ENDS_EARLY.has(contradiction.rule) || contradiction.reason !== null) continue
        const rejected = contradiction.operations.findLast(({ status }) => status === 401)
        const death: Death = {
          contradiction,
          family,
          wallet: findWallet(operations),
          startUs: operations[0]?.call ?? 0,
          atUs: rejected?.return ?? 0,
        }
        deaths.push(death)
        // After a reset, it would not work again.
        if ((operations.findLast(isServed)?.call ?? 0) > death.atUs) certain.add(contradiction)
        const name = `${family} ${death.wallet}`
        seen.set(name, [...(seen.get(name) ?? []), death])
      }
    },
    isNeeded: () => deaths.length > 0,
    /** Call for each history, in a second pass. */
    see({ family, operations }: History): void {
      const [first] = operations
      const those = seen.get(`${family} ${findWallet(operations)}`)
      if (first === undefined || those === undefined) return
      const lastServedUs = operations.findLast(isServed)?.call ?? 0
      for (const { contradiction, wallet, startUs, atUs } of those) {
        if (wallet !== null && first.return < startUs && lastServedUs > atUs) certain.add(contradiction)
      }
    },
    /** Returns why a contradiction is not certain, or null. */
    findDoubt(contradiction: Contradiction): string | null {
      if (certain.has(contradiction)) return null
      const [fromUs, toUs] = spanOf(contradiction.operations)
      const isSpanned = deaths.some(
        ({ contradiction: other, atUs }) => !certain.has(other) && fromUs <= atUs && atUs <= toUs,
      )
      return isSpanned
        ? 'a session or an API token ended without a cause, and no older one of its wallet was served later: the target may have been reset'
        : null
    },
  }
}

function isServed({ kind, status }: Operation): boolean {
  return (kind === 'U' || kind === 'T') && isAccepted(status)
}

function findWallet(operations: readonly Operation[]): number | null {
  return operations.find(({ kind }) => kind === 'S' || kind === 'C')?.argument ?? null
}

function spanOf(operations: readonly Operation[]): [fromUs: number, toUs: number] {
  const ends = operations.map((operation) => operation.return).filter(Number.isFinite)
  return [Math.min(...operations.map(({ call }) => call)), Math.max(...ends)]
}
