import {
  type HistoryFamily,
  type HistoryKind,
  isAccepted,
  isRejected,
  type Operation,
} from '../contract/history.ts'
import { LIMITS } from '../contract/limits.ts'
import { checkSocket, listSocketExercised } from './check-socket.ts'
import { linearize, type Model, shrink } from './linearize.ts'
import {
  type Enforced,
  listSessionStates,
  modelSession,
  modelToken,
  SESSION_RULES,
  TOKEN_RULES,
  TOKEN_STATES,
} from './models.ts'
import type { History } from './read-log.ts'

const FAUCET_RULE = 'history.faucet.once'

const MINIMUM_RULE = 'history.protocol.minimum-revision'
const TICKET_RULE = 'history.ticket.expires'

/** A rule that the history contradicts, with the shortest part that shows it; or undecided, with the reason. */
export type Contradiction = {
  rule: string
  key: string
  operations: readonly Operation[]
  /** Default: no order of the operations explains their responses. */
  observed?: string
  /** Null: certain, unless the target was reset. */
  reason: string | null
}

/** `isNeeded`: false for a rule whose further contradictions need no shrinking. */
export function checkHistory(
  history: History,
  isNeeded: (rule: string) => boolean = () => true,
): Contradiction[] {
  const check = CHECKS[history.family]
  return check === undefined ? checkCredential(history, isNeeded) : check(history)
}

/** The families without a model of states. */
const CHECKS: Readonly<Partial<Record<HistoryFamily, (history: History) => Contradiction[]>>> = {
  faucet: checkClaims,
  socket: checkSocket,
  protocol: checkMinimums,
  ticket: checkTicket,
}

/** The rules whose violation the history could have shown. */
export function listExercised(history: History): string[] {
  const { family, operations } = history
  if (family === 'socket') return listSocketExercised(history)
  if (family === 'protocol' || family === 'ticket') return listSingleExercised(history)
  const kinds = new Set(operations.filter(({ status }) => isAccepted(status)).map(({ kind }) => kind))
  return EXERCISED.flatMap(([kind, rule]) => (kinds.has(kind) ? [rule] : []))
}

const EXERCISED: readonly (readonly [HistoryKind, string])[] = [
  ['U', SESSION_RULES.lasts],
  ['R', SESSION_RULES.wins],
  ['L', SESSION_RULES.ended],
  ['T', TOKEN_RULES.lasts],
  ['D', TOKEN_RULES.revoked],
  ['F', FAUCET_RULE],
]

type Credentials = {
  rules: readonly string[]
  /** For a contradiction that no rule explains alone: a credential that ends, and works again. */
  combined: string
  build: (enforced: Enforced) => Model
  buildPart: (enforced: Enforced, part: readonly Operation[], before: readonly Operation[]) => Model
}

const CREDENTIALS: Record<'session' | 'token', Credentials> = {
  session: {
    rules: Object.values(SESSION_RULES),
    combined: SESSION_RULES.ended,
    build: (enforced) => modelSession(enforced),
    buildPart: (enforced, part, before) => modelSession(enforced, listSessionStates(part, before)),
  },
  token: {
    rules: Object.values(TOKEN_RULES),
    combined: TOKEN_RULES.revoked,
    build: (enforced) => modelToken(enforced),
    buildPart: (enforced) => modelToken(enforced, TOKEN_STATES),
  },
}

const ALL: Record<keyof typeof CREDENTIALS, Enforced> = {
  session: new Set(CREDENTIALS.session.rules),
  token: new Set(CREDENTIALS.token.rules),
}

function checkCredential(
  { key, family, operations }: History,
  isNeeded: (rule: string) => boolean,
): Contradiction[] {
  if (family !== 'session' && family !== 'token') return []
  const { rules, combined, build, buildPart } = CREDENTIALS[family]
  const relevant = operations
    .filter((operation) => !isRead(operation) || isDecided(operation, operations))
    .map(openIfUnknown)
  const all = ALL[family]
  const result = linearize(build(all), relevant)
  if (result === 'yes') return []
  if (result === 'unknown')
    return rules.map((rule) => ({
      rule,
      key,
      operations: [],
      reason: 'it has too many concurrent operations',
    }))
  const find = (rule: string, enforced: Enforced): Contradiction => ({
    rule,
    key,
    operations: isNeeded(rule)
      ? shrink({
          operations: relevant,
          model: build(enforced),
          modelPart: (part, before) => buildPart(enforced, part, before),
          isRead,
        })
      : relevant,
    reason: null,
  })
  const broken = rules.filter((rule) => linearize(build(new Set([rule])), relevant) === 'no')
  return broken.length === 0 ? [find(combined, all)] : broken.map((rule) => find(rule, new Set([rule])))
}

/** The operations that have no effect. */
function isRead({ kind }: Operation): boolean {
  return kind === 'U' || kind === 'T'
}

/** After an error or without a response, it may still take effect later. */
function openIfUnknown(operation: Operation): Operation {
  const { status } = operation
  if (isRead(operation) || isAccepted(status) || isRejected(status) || status === 429) return operation
  return { ...operation, return: Number.POSITIVE_INFINITY }
}

/** Close to its end, an access session may have expired on the clock of the target. */
const ACCESS_US = (LIMITS.accessSessionSeconds - 30) * 1e6

/** Only a success or a 401 shows whether a credential is valid. */
function isDecided(read: Operation, operations: readonly Operation[]): boolean {
  if (read.return === Number.POSITIVE_INFINITY) return false
  if (isAccepted(read.status)) return true
  if (read.status !== 401) return false
  if (read.kind !== 'U') return true
  const issued = operations.find(({ kind, value }) =>
    read.argument === 0 ? kind === 'S' : kind === 'R' && value === read.argument,
  )
  return issued !== undefined && read.return - issued.call < ACCESS_US
}

/** Tolerance for the delay between a claim and its time on the target, and for clocks that run at different speeds. */
const FAUCET_US = LIMITS.faucetSeconds * 0.98e6
const CLOCK_TOLERANCE_SECONDS = 5

function checkClaims({ key, operations }: History): Contradiction[] {
  const accepted = operations.filter(({ status }) => isAccepted(status))
  return accepted.slice(1).flatMap((claim, index) => {
    const before = accepted[index]
    if (before === undefined || claim.return - before.call >= FAUCET_US) return []
    return [{ rule: FAUCET_RULE, key, operations: [before, claim], reason: whyUndecided(before, claim) }]
  })
}

function whyUndecided(before: Operation, claim: Operation): string | null {
  if (before.value === null || claim.value === null) return null
  const jumpSeconds = claim.value - before.value - (claim.call - before.call) / 1e6
  return Math.abs(jumpSeconds) >
    CLOCK_TOLERANCE_SECONDS + (before.return - before.call) / 1e6 + (claim.return - claim.call) / 1e6
    ? `the clock of the target jumped by ${Math.round(jumpSeconds)} s`
    : null
}

/** With 15 seconds for clocks that differ, as in the probes. */
const TICKET_US = (LIMITS.wsTicketSeconds + 15) * 1e6

function checkMinimums({ key, operations }: History): Contradiction[] {
  const behind = operations.find((read) => isComparable(read) && (read.value ?? 0) < (read.argument ?? 0))
  if (behind === undefined) return []
  return [
    {
      rule: MINIMUM_RULE,
      key,
      observed: `revision ${behind.value} was returned for minimum_revision ${behind.argument}`,
      operations: [behind],
      reason: null,
    },
  ]
}

function checkTicket({ key, operations }: History): Contradiction[] {
  const late = operations.find((use) => isLate(use, operations) && isAccepted(use.status))
  if (late === undefined) return []
  return [
    {
      rule: TICKET_RULE,
      key,
      observed: 'authenticated after it had expired',
      operations: operations.filter(({ kind }) => kind === 'K').concat(late),
      reason: null,
    },
  ]
}

/** The rules that the operations could have shown to be broken. */
function listSingleExercised({ operations }: History): string[] {
  return [
    ...(operations.some(isComparable) ? [MINIMUM_RULE] : []),
    ...(operations.some((use) => isLate(use, operations)) ? [TICKET_RULE] : []),
  ]
}

function isComparable({ kind, status, argument, value }: Operation): boolean {
  return kind === 'P' && isAccepted(status) && argument !== null && value !== null
}

/** It was issued before the response arrived. An authentication that never returned shows nothing. */
function isLate(use: Operation, operations: readonly Operation[]): boolean {
  if (use.kind !== 'H' || use.return === Number.POSITIVE_INFINITY) return false
  const issued = operations.find(({ kind }) => kind === 'K')
  return issued !== undefined && use.call - issued.return > TICKET_US
}
