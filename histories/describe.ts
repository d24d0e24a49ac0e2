import { HISTORY_KINDS, type HistoryViolation, isAccepted, type Operation } from '../contract/history.ts'
import type { Contradiction } from './check-history.ts'
import { EVENT_TYPES } from './check-socket.ts'

/** The part of a history that shows a violation, as lanes over time. */
export function describeViolation(contradiction: Contradiction): HistoryViolation {
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
export function listEvidence({ operations }: HistoryViolation): string[] {
  return operations.map(
    ({ does, outcome, fromMs, toMs }) =>
      `${fromMs} to ${toMs ?? '?'} ms: ${does}${outcome === '' ? '' : ` -> ${outcome}`}`,
  )
}
