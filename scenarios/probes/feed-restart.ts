import type { Target } from '../../contract/scenario-config.ts'
import { backoffMs } from '../lib/client/retry-wait.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { eventsOf } from '../lib/feed/feed-count.ts'
import { keepServed } from '../lib/feed/keep-served.ts'
import { EVENT_POOL } from '../lib/feed/room.ts'
import { isServedBesideWitness, MUTE, openServedFeed, tryFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { told } from '../lib/probe/told.ts'
import type { Credential } from '../lib/requests/request.ts'
import { chainGoesOn, control, mustHaveControl } from '../lib/time/control.ts'
import { pause } from '../lib/time/pause.ts'
import { vuRandom } from '../lib/vu-random.ts'

/** Several, as any one pool may go quiet. */
const ROOMS = 8
/** A deployment takes a while; how long is not stated. */
const TRIES_MAX = 4

/** A deployment: the gateway closes its sockets, and clients come back. */
export const restart: Probe = {
  rules: ['ws.restart.closes-1012', 'ws.restart.restores'],
  world: 'feed',
  async run(target, judge) {
    mustHaveControl(target, 'a restart of the gateway')
    const credential = await readCredential(target)
    const rooms = (await busyPools(target)).slice(0, ROOMS).map((key) => `pool_stats:${key}`)
    const before = await openServedFeed(target, credential, rooms)
    await control(target, '/gateway/restart')
    await before.until(() => false, 5000)
    await judgeClose(target, judge, { feed: before, credential })
    if (!before.closed()) throw new CannotJudge('the restart did not close the socket')

    told(target.profile.choices.events.pool, EVENT_POOL)
    const after = await comeBack(target, judge, { credential, rooms })
    if (!after) return
    const went = await chainGoesOn(target, {
      done: () => eventsOf(target, after, rooms).length > 0,
      eachTurn: await keepServed(target, { credential, feeds: [after] }),
      blocksMax: 120,
      waitMsMax: 30_000,
    })
    if (went) judge.pass('ws.restart.restores', 'back with its rooms')
    else judge.inconclusive('ws.restart.restores', 'nothing to deliver after the reconnect', after.evidence())
    after.close()
  },
}

/** "The server may close": neither the close nor its code can be demanded. A socket that stays open is one that is served. */
async function judgeClose(
  target: Target,
  judge: Judge,
  { feed, credential }: { feed: Feed; credential: Credential },
): Promise<void> {
  const rule = 'ws.restart.closes-1012'
  const code = feed.closed()?.code
  if (code === 1012) return judge.pass(rule, 'closed with 1012', feed.evidence())
  if (code !== undefined)
    return judge.inconclusive(rule, `closed with ${code}; 1012 may be sent, and need not`, feed.evidence())
  const served = await isServedBesideWitness(feed, { target, credential })
  if (served === undefined) judge.inconclusive(rule, MUTE, feed.evidence())
  else judge.that(rule, served, `left open, and ${served ? '' : 'not '}served`, feed.evidence())
}

/** Tries with backoff. A socket that opens, time and again, and is never served has no deployment to wait for. */
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
