// All topics in parallel, each in an isolated world, or in one VU if they have to take turns.
import { world } from './lib/config.ts'
import { buildOptions, COMMON_OPTIONS, lane } from './lib/lane.ts'
import { oneVu } from './lib/probe/one-vu.ts'
import { runProbes, runProbesTogether } from './lib/probe/probe.ts'
import { hasControl } from './lib/time/has-control.ts'
import { mix, mixOptions } from './mix.k6.ts'
import { access } from './probes/access.ts'
import { mint } from './probes/admin-mint.ts'
import { apiTokenUse } from './probes/api-token-use.ts'
import { apiTokens, foreignRevoke, ownTokens, tokenLife } from './probes/api-tokens.ts'
import { csrf } from './probes/csrf.ts'
import { envelopes, errorBodies } from './probes/envelopes.ts'
import { searchByKey, searchByText } from './probes/explore-search.ts'
import { faucet } from './probes/faucet.ts'
import { feedAccess } from './probes/feed-access.ts'
import { configChanges, launches } from './probes/feed-announcements.ts'
import { authenticateDeadline, ticketAccess } from './probes/feed-authentication.ts'
import { foreignBalance, ownBalance } from './probes/feed-balances.ts'
import { notReplayed, syncActive } from './probes/feed-delivery.ts'
import { frameLimits } from './probes/feed-frames.ts'
import { roomKinds } from './probes/feed-kinds.ts'
import { leaveRoom } from './probes/feed-leave.ts'
import { renewalByAnother } from './probes/feed-renewals.ts'
import { restart } from './probes/feed-restart.ts'
import { roomLimit } from './probes/feed-room-limit.ts'
import { renewedRooms, roomsFreed } from './probes/feed-rooms.ts'
import { strangers } from './probes/feed-strangers.ts'
import { tickets } from './probes/feed-tickets.ts'
import { logoutAll } from './probes/logout-all.ts'
import { minimumRevision } from './probes/minimum-revision.ts'
import { openReads } from './probes/open-reads.ts'
import { tokenInfos, unclaimed } from './probes/owed-records.ts'
import { ownSessions, sessionsByToken } from './probes/own-sessions.ts'
import { pagingLimits, swapLimits } from './probes/paging-limits.ts'
import { exploreKeys, poolKeys } from './probes/pool-keys.ts'
import { publicReads } from './probes/public-reads.ts'
import { rateLimit } from './probes/rate-limit.ts'
import { poolRecord, recordLists, tokenList, valuation } from './probes/records.ts'
import { codes, foreignCodes, referralBySession, referralRecords } from './probes/referral.ts'
import { refreshRules, replacedRefresh } from './probes/refresh.ts'
import { raceOfFifty, refreshRaces } from './probes/refresh-race.ts'
import { pendingRevision, revisionEvent } from './probes/revisions.ts'
import { routing } from './probes/routing.ts'
import { secrets } from './probes/secrets.ts'
import { sessionEnds } from './probes/session-ends.ts'
import { sessionLife } from './probes/session-life.ts'
import { logout, sessions } from './probes/sessions.ts'
import { challengeShape, signInRules } from './probes/sign-in.ts'
import { signatures } from './probes/signatures.ts'
import { claimFields, ownOutputs, swapsClaimed } from './probes/swaps-claimed.ts'
import { swapsFilter } from './probes/swaps-filter.ts'
import { exploreWalk, poolsWalk, swapsWalk } from './probes/walks.ts'

/** Slow rules: session lifetimes, refresh and its races, tickets, deadlines, frame limit, faucet. */
const SLOW = [
  ...[refreshRules, replacedRefresh, refreshRaces, raceOfFifty],
  ...[authenticateDeadline, tickets, renewalByAnother, frameLimits],
  ...[sessionLife, tokenLife, faucet],
]

const LANES = {
  paging: () =>
    runProbes('paging', [
      ...[pagingLimits, swapLimits, poolsWalk, exploreWalk],
      ...[poolKeys, exploreKeys, swapsFilter, swapsWalk],
    ]),
  reads: () =>
    runProbes('reads', [
      ...[...recordLists, poolRecord, valuation, unclaimed, tokenInfos, tokenList, openReads],
      ...[envelopes, errorBodies, searchByKey, searchByText, ...publicReads],
      ...[swapsClaimed, claimFields, ownOutputs],
    ]),
  routes: () => runProbes('routing', [routing]),
  revisions: () => runProbes('revisions', [pendingRevision, revisionEvent, minimumRevision]),
  auth: () =>
    runProbes('auth', [
      ...[challengeShape, signInRules, signatures, access],
      ...[sessions, ownSessions, logout, logoutAll, sessionsByToken, csrf, ...sessionEnds],
      // Must be last, because it covers all earlier responses.
      secrets,
    ]),
  tokens: () =>
    runProbes('api-tokens', [
      ...[apiTokens, apiTokenUse, foreignRevoke, ownTokens],
      ...[mint, codes, foreignCodes],
      ...[referralRecords, ...referralBySession],
    ]),
  /** Concurrent, because each probe only listens. */
  feed: () =>
    runProbesTogether('feed', [
      ...[feedAccess, ticketAccess, strangers, roomLimit, roomKinds, ownBalance, foreignBalance],
      ...[leaveRoom, roomsFreed, renewedRooms, syncActive, notReplayed, launches, configChanges],
    ]),
  /** A lane and a world of its own, because it ends every socket. */
  restarts: () => runProbes('restart', [restart]),
  /** Sequential if the clock can be moved, because it is shared; else concurrent, because all only wait. */
  time: () => (hasControl(world('clock')) ? runProbes('time', SLOW) : runProbesTogether('time', SLOW)),
  rateLimits: () => runProbes('rate-limit', [rateLimit]),
}

export const { paging, reads, routes, revisions, auth, tokens, feed, restarts, time, rateLimits } = LANES
export { mix }

export const options = buildOptions(() => ({
  ...COMMON_OPTIONS,
  scenarios: {
    ...(oneVu ? lane('probes') : Object.assign({}, ...Object.keys(LANES).map(lane))),
    ...mixOptions(),
  },
}))

export async function probes(): Promise<void> {
  await Promise.all(Object.values(LANES).map((run) => run()))
}
