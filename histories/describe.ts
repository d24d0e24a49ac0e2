import { HISTORY_KINDS, type HistoryViolation, isAccepted, type Operation } from '../contract/history.ts'
import type { Contradiction } from './check-history.ts'

/** The part of a history that shows a violation, as lanes over time. */
export function describeViolation({ rule, key, operations }: Contradiction): HistoryViolation {
  const startUs = Math.min(...operations.map(({ call }) => call))
  const toMs = (us: number) => Math.round(us - startUs) / 1000
  return {
    rule,
    key,
    observed: `${key}: no order of ${operations.length} operations explains their responses`,
    operations: operations.map((operation) => ({
      does: describeCall(operation),
      outcome: describeOutcome(operation),
      accepted: isAccepted(operation.status),
      fromMs: toMs(operation.call),
      toMs: operation.return === Number.POSITIVE_INFINITY ? null : toMs(operation.return),
    })),
  }
}

function describeCall({ kind, argument }: Operation): string {
  const { does } = HISTORY_KINDS[kind]
  return argument === null || (kind !== 'R' && kind !== 'U') ? does : `${does} with token ${argument}`
}

function describeOutcome(operation: Operation): string {
  const { kind, status, value } = operation
  if (operation.return === Number.POSITIVE_INFINITY) return 'no response yet'
  if (status === 0) return 'no response'
  return kind === 'R' && value !== null ? `${status}, token ${value}` : String(status)
}

/** One line per operation, for evidence. */
export function listEvidence({ operations }: HistoryViolation): string[] {
  return operations.map(
    ({ does, outcome, fromMs, toMs }) => `${fromMs} to ${toMs ?? '?'} ms: ${does} -> ${outcome}`,
  )
}
