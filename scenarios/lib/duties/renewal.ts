import { LIMITS } from '../../../contract/limits.ts'

const TICKET_MS = LIMITS.wsTicketSeconds * 1000
/** Leaves 20 s for a ticket that is not to be had at once. */
const AFTER_MS = 40_000
const SPREAD_SHARE = 0.25

/**
 * How long after a ticket was asked for the next one is: well before its end, and not all clients at once. A renewal that
 * failed is tried again while the ticket lives.
 */
export function renewalMs(options: {
  random: () => number
  /** At the latest. */
  afterMs?: number | undefined
  spreadShare?: number | undefined
}): number {
  const { random, afterMs = AFTER_MS, spreadShare = SPREAD_SHARE } = options
  return Math.min(afterMs, TICKET_MS - 1) * (1 - spreadShare * random())
}
