import type { ObserverRule } from './observer-rule.ts'
import { configRefetches, configRetriesPending } from './rules/config-refetches.ts'
import {
  csrfSent,
  forbiddenStops,
  messageExact,
  secretsNotInUrls,
  unauthorizedReplaces,
} from './rules/credentials.ts'
import { inputCanonical, poolsKeyAsGiven, poolsPagesToEnd } from './rules/input.ts'
import { reconnectBacksOff } from './rules/reconnect-waits.ts'
import { reconnectResubscribes, reconnectSynchronizes } from './rules/reconnects.ts'
import { reconnectRefetches, resyncRefetches } from './rules/refetches.ts'
import { refreshRetries } from './rules/refresh-races.ts'
import { tooManyWaits } from './rules/required-waits.ts'
import { failuresBackOff, failuresBounded } from './rules/retries.ts'
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
