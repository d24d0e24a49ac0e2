/** Rules of single operations: reads of the configuration, and tickets. */
import { isAccepted, type Operation } from '../contract/history.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Contradiction } from './check-history.ts'
import type { History } from './read-log.ts'

const MINIMUM_RULE = 'history.protocol.minimum-revision'
const TICKET_RULE = 'history.ticket.expires'

/** With 15 seconds for clocks that differ, as in the probes. */
const TICKET_US = (LIMITS.wsTicketSeconds + 15) * 1e6

export function checkMinimums({ key, operations }: History): Contradiction[] {
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

export function checkTicket({ key, operations }: History): Contradiction[] {
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
export function listSingleExercised({ operations }: History): string[] {
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
