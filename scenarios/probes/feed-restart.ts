import { backoffMs } from '../../client/retry-wait.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { vuRandom } from '../lib/duties/k6-tools.ts'
import { EVENT_POOL, EVENTS_MISSED_MIN, listEvents, whySilent, whyUnassigned } from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  areServedWithWitness,
  isLost,
  LOST,
  mustServe,
  openServedFeed,
  RESTART_CODE,
  tryFeed,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { awaitOwed } from '../lib/market/await-owed.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { listPools } from '../lib/market/swap-watch.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, requireChoice } from '../lib/verdict/judge.ts'
import { control, mustHaveControl, nowMs } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

/** Several pools, since any one may go quiet. */
const ROOMS = 8
/** The API does not say how long a deployment takes. */
const TRIES_MAX = 4

/** A deployment: the gateway closes its sockets, and clients reconnect. */
export const restart: Probe = {
  rules: ['ws.restart.closes-1012', 'ws.restart.restores'],
  world: 'feed',
  async run(target, judge) {
    mustHaveControl(target, 'a restart of the gateway')
    const credential = await readCredential(target)
    // Two kinds of rooms: another rule covers a kind that is never sent.
    const pools = (await busyPools(target)).slice(0, ROOMS)
    const rooms = pools.flatMap((key) => [`pool_stats:${key}`, `trades:${key}`])
    const feeds = await Promise.all([
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, []),
    ])
    await control(target, '/gateway/restart')
    await Promise.all(feeds.map((feed) => feed.until(() => false, 5000)))
    await judgeClose(target, judge, { feeds, credential })
    if (!feeds.every((feed) => feed.closed())) throw new CannotJudge('the restart did not close the sockets')

    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const after = await comeBack(target, judge, { credential, rooms })
    if (!after) return
    await judgeRestored(target, judge, { after, credential, rooms })
    after.close()
  },
}

/** Events arrive or /swaps shows that they are due; the socket is served for as long as its ticket lasts. */
async function judgeRestored(
  target: Target,
  judge: Judge,
  { after, credential, rooms }: { after: Feed; credential: Credential; rooms: readonly string[] },
): Promise<void> {
  const rule = 'ws.restart.restores'
  const startedMs = await nowMs(target)
  let agoMs = 0
  const keep = await keepServed(target, { credential, feeds: [after] })
  const { came, swaps } = await awaitOwed(target, {
    done: () =>
      after.closed() !== undefined || (agoMs > SERVED_MS && listEvents(target, after, rooms).length > 0),
    isOwing: (swap) => listPools(swap).some((key) => rooms.includes(`pool_stats:${key}`)),
    credential,
    eachTurn: async () => {
      await keep()
      agoMs = (await nowMs(target)) - startedMs
    },
  })
  const why = whySilent(after) ?? whyUnassigned(target, [after])
  if (isLost(after)) judge.inconclusive(rule, LOST, after.evidence())
  else if (after.closed() && agoMs < YOUNG_MS) {
    await mustServe(target, credential)
    judge.fail(rule, `${why}, ${agoMs} ms after it came back with a fresh ticket`, after.evidence())
  } else if (came && !after.closed()) judge.pass(rule, 'back with its rooms')
  else if (why !== undefined) judge.inconclusive(rule, why, after.evidence())
  else if (swaps >= EVENTS_MISSED_MIN)
    judge.fail(rule, `no event, while /swaps shows ${swaps} more swaps in its pools`, after.evidence())
  else judge.inconclusive(rule, 'nothing to deliver after the reconnect', after.evidence())
}

/** More than a moment, but less than the lifetime of a ticket. */
const SERVED_MS = 10_000
const YOUNG_MS = 40_000

/** The API says "may close", so neither the close nor its code is required. A socket left open must be served. */
async function judgeClose(
  target: Target,
  judge: Judge,
  { feeds, credential }: { feeds: readonly Feed[]; credential: Credential },
): Promise<void> {
  const rule = 'ws.restart.closes-1012'
  const open = feeds.filter((feed) => feed.closed() === undefined)
  const served = open.length === 0 ? [] : await areServedWithWitness(open, { target, credential })
  const deaf = open.filter((feed, index) => served[index] === false && feed.closed() === undefined)
  const codes = feeds.flatMap((feed) => feed.closed()?.code ?? [])
  const evidence = (deaf.length > 0 ? deaf : feeds).flatMap((feed) => feed.evidence())
  const other = codes.find((code) => code !== RESTART_CODE)
  if (deaf.length > 0)
    judge.fail(rule, `${deaf.length} of ${feeds.length} left open but not served`, evidence)
  else if (served.includes(undefined)) judge.inconclusive(rule, UNRESPONSIVE, evidence)
  else if (other !== undefined) judge.inconclusive(rule, `closed with ${other}; 1012 is optional`, evidence)
  else judge.pass(rule, open.length > 0 ? 'left open and served' : 'closed with 1012', evidence)
}

/** Reconnects with backoff. A socket that opens repeatedly but is never served is not waiting for a deployment. */
async function comeBack(
  target: Target,
  judge: Judge,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<Feed | undefined> {
  for (let attempt = 0; ; attempt++) {
    await pause(backoffMs({ attempt, random: vuRandom }))
    const { feed, served } = await tryFeed(target, credential, rooms)
    if (served) return feed
    feed.close()
    if (attempt + 1 < TRIES_MAX) continue
    judge.fail('ws.restart.restores', `not served after ${TRIES_MAX} reconnects`, feed.evidence())
    return undefined
  }
}
