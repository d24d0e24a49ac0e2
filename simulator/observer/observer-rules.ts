import type { ObserverRule } from './observer-rule.ts'
import {
  csrfSent,
  forbiddenStops,
  messageExact,
  refreshRetries,
  secretsNotInUrls,
  unauthorizedReplaces,
} from './rules/credentials.ts'
import { inputCanonical, poolsKeyAsGiven, poolsPagesToEnd } from './rules/input.ts'
import { reconnectBacksOff, reconnectResubscribes, reconnectSynchronizes } from './rules/reconnects.ts'
import {
  configRefetches,
  configRetriesPending,
  reconnectRefetches,
  resyncRefetches,
} from './rules/refetches.ts'
import { failuresBackOff, failuresBounded, tooManyWaits } from './rules/retries.ts'
import {
  controlsUnknownIgnored,
  framesBounded,
  framesSize,
  framesValid,
  roomsAtMost32,
  roomsOwnBalances,
  socketAuthenticatesFirst,
  socketAuthenticatesInTime,
} from './rules/sockets.ts'
import { ticketFresh, ticketOnly, ticketRenewed, ticketSamePrincipal } from './rules/tickets.ts'

/** One for each catalogue rule that binds clients, in its order (contract/client-rules.ts). */
export const OBSERVER_RULES: readonly ObserverRule[] = [
  inputCanonical,
  poolsPagesToEnd,
  poolsKeyAsGiven,
  messageExact,
  csrfSent,
  refreshRetries,
  secretsNotInUrls,
  ticketOnly,
  ticketSamePrincipal,
  ticketFresh,
  socketAuthenticatesFirst,
  socketAuthenticatesInTime,
  ticketRenewed,
  reconnectResubscribes,
  reconnectSynchronizes,
  reconnectRefetches,
  reconnectBacksOff,
  resyncRefetches,
  controlsUnknownIgnored,
  configRefetches,
  configRetriesPending,
  roomsAtMost32,
  roomsOwnBalances,
  framesBounded,
  framesSize,
  framesValid,
  unauthorizedReplaces,
  forbiddenStops,
  tooManyWaits,
  failuresBounded,
  failuresBackOff,
]
