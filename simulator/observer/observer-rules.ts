import type { ObserverRule } from './observer-rule.ts'
import { configRefetches } from './rules/config-refetches.ts'
import { configRetriesPending } from './rules/config-retries-pending.ts'
import { controlsUnknownIgnored } from './rules/controls-unknown-ignored.ts'
import { csrfSent } from './rules/csrf-sent.ts'
import { failuresBackOff } from './rules/failures-back-off.ts'
import { failuresBounded } from './rules/failures-bounded.ts'
import { forbiddenStops } from './rules/forbidden-stops.ts'
import { framesBounded } from './rules/frames-bounded.ts'
import { framesSize } from './rules/frames-size.ts'
import { inputCanonical } from './rules/input-canonical.ts'
import { messageExact } from './rules/message-exact.ts'
import { poolsKeyAsGiven } from './rules/pools-key-as-given.ts'
import { poolsPagesToEnd } from './rules/pools-pages-to-end.ts'
import { reconnectBacksOff } from './rules/reconnect-backs-off.ts'
import { reconnectRefetches } from './rules/reconnect-refetches.ts'
import { reconnectResubscribes } from './rules/reconnect-resubscribes.ts'
import { reconnectSynchronizes } from './rules/reconnect-synchronizes.ts'
import { refreshRetries } from './rules/refresh-retries.ts'
import { resyncRefetches } from './rules/resync-refetches.ts'
import { roomsAtMost32 } from './rules/rooms-at-most-32.ts'
import { roomsOwnBalances } from './rules/rooms-own-balances.ts'
import { secretsNotInUrls } from './rules/secrets-not-in-urls.ts'
import { socketAuthenticatesFirst } from './rules/socket-authenticates-first.ts'
import { socketAuthenticatesInTime } from './rules/socket-authenticates-in-time.ts'
import { ticketFresh } from './rules/ticket-fresh.ts'
import { ticketOnly } from './rules/ticket-only.ts'
import { ticketRenewed } from './rules/ticket-renewed.ts'
import { ticketSamePrincipal } from './rules/ticket-same-principal.ts'
import { tooManyWaits } from './rules/too-many-waits.ts'
import { unauthorizedReplaces } from './rules/unauthorized-replaces.ts'

/** One for each rule of the catalogue that binds clients, in its order (contract/client-rules.ts). */
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
  unauthorizedReplaces,
  forbiddenStops,
  tooManyWaits,
  failuresBounded,
  failuresBackOff,
]
