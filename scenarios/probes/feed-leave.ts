import { LIMITS } from '../../contract/limits.ts'
import { countFromNow, EVENTS_MISSED_MIN, eventsOf, whySilent } from '../lib/feed/feed-count.ts'
import { EVENT_POOL } from '../lib/feed/room.ts'
import { isServed, openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { clockHeld } from '../lib/time/held-clock.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import { told } from '../lib/verdict/told.ts'
import { chainGoesOn } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }
/** Several, as any one pool may go quiet. */
const LEFT_ROOMS = 8
/** Kinds that a busy pool has events of all the time. */
const KINDS = ['pool_stats', 'trades']
const STRAGGLERS_MS = 1000

/** Leaving rooms, while a witness stays. */
export const leaveRoom: Probe = {
  rules: ['ws.rooms.unsubscribe'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.unsubscribe'
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, LEFT_ROOMS)
    const kinds = KINDS.map((kind) => pools.map((key) => `${kind}:${key}`))
    const rooms = kinds.flat()
    const [witness, feed] = await Promise.all([
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, rooms),
    ])
    const count = (one: typeof feed) => eventsOf(target, one, rooms).length
    const counts = (one: typeof feed) => kinds.map((ofKind) => eventsOf(target, one, ofKind).length)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const isHeard = () => counts(feed).every((ofKind) => ofKind > 0)
    if (!(await chainGoesOn(target, { done: isHeard, eachTurn, ...BOUNDS }))) {
      throw new CannotJudge('not all kinds of events came before the leave')
    }
    for (const room of rooms) feed.send({ action: 'unsubscribe', room })
    // Its answer comes after the leave has been dealt with; what was on its way by then may still arrive.
    if (!(await clockHeld(() => isServed(feed))))
      throw new CannotJudge('the socket is not served after the leave')
    await pause(STRAGGLERS_MS)
    const [before, witnessed] = [count(feed), counts(witness)]
    const hasMore = () => counts(witness).every((ofKind, index) => ofKind > (witnessed[index] ?? 0))
    const went = await chainGoesOn(target, { done: hasMore, eachTurn, ...BOUNDS })
    await feed.settled(3000)
    const late = count(feed) - before
    const closed = feed.closed()
    if (late > 0) judge.fail(rule, `${late} events after the leave`, feed.evidence())
    else if (closed) judge.inconclusive(rule, `closed with ${closed.code} after the leave`, feed.evidence())
    else if (!went)
      judge.inconclusive(rule, 'the witness did not get events of each kind after the leave either')
    else judge.pass(rule, `none after the leave, the witness got some of each of ${KINDS.join(', ')}`)
    witness.close()
    feed.close()
  },
}

/** Eight of 32 rooms make place for eight others, which a witness shares. */
export const roomsFreed: Probe = {
  rules: ['ws.rooms.freed'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.freed'
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = await busyPools(target)
    const others = pools.slice(0, LEFT_ROOMS).map((key) => `pool_stats:${key}`)
    const held = pools.flatMap((key) => [`trades:${key}`, `ohlcv:${key}`]).slice(-LIMITS.wsRoomsPerConnection)
    if (held.length < LIMITS.wsRoomsPerConnection)
      throw new CannotJudge(`${pools.length} pools make only ${held.length} rooms to hold`)
    const [witness, feed] = await Promise.all([
      openServedFeed(target, credential, others),
      openServedFeed(target, credential, held),
    ])
    for (const room of held.slice(0, LEFT_ROOMS)) feed.send({ action: 'unsubscribe', room })
    for (const room of others) feed.send({ action: 'subscribe', room })
    const served = await clockHeld(() => isServed(feed))
    if (!served)
      throw new CannotJudge(whySilent(feed) ?? 'the socket is not served after the change of rooms')
    const witnessed = countFromNow(target, witness, others)
    const came = countFromNow(target, feed, others)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const done = () => others.every((room) => came(room) > 0 || witnessed(room) >= EVENTS_MISSED_MIN)
    await chainGoesOn(target, { done, eachTurn, ...BOUNDS })
    await Promise.all([witness.settled(3000), feed.settled(3000)])
    const why = whySilent(feed)
    const delivering = others.filter((room) => came(room) > 0)
    const owing = others.filter((room) => came(room) === 0 && witnessed(room) > 0)
    const missed = owing.filter((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    const seen = `${delivering.length} of the ${others.length} rooms joined in their place deliver`
    if (why !== undefined && owing.length > 0) judge.inconclusive(rule, why)
    else if (missed.length > 0)
      judge.fail(rule, `${seen}, while a witness gets events of ${missed.length} others`, feed.evidence())
    else if (owing.length > 0 || delivering.length === 0)
      judge.inconclusive(rule, `${seen}; of ${owing.length} others a witness got too little to tell`)
    else judge.pass(rule, seen)
    witness.close()
    feed.close()
  },
}
