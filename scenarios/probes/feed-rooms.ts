import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { busyPools } from '../lib/busy-pools.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import { chainGoesOn } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import type { Feed } from '../lib/feed.ts'
import type { Judge } from '../lib/judge.ts'
import { pause } from '../lib/pause.ts'
import type { Probe } from '../lib/probe.ts'
import { redactor } from '../lib/redact.ts'
import { EVENT_POOL, isForeign, isOfRoom } from '../lib/room.ts'
import { isServed, openServedFeed, tryFeed } from '../lib/served-feed.ts'
import { credentialOf, type Session, withSession } from '../lib/session.ts'
import { told } from '../lib/told.ts'
import { walletFor } from '../lib/wallet.ts'

const MAX = LIMITS.wsRoomsPerConnection
const ROOM_KINDS = ['pool_stats', 'trades', 'ohlcv']
const BOUNDS = { blocksMax: 300, waitMsMax: 40_000 }

/**
 * How many rooms deliver. Two witnesses share the rooms between them, well inside the limit: they prove that each room had
 * something to deliver. What came before all four sockets were served does not count.
 */
export const roomLimit: Probe = {
  rules: ['ws.rooms.at-most-32', 'ws.rooms.32-deliver', 'ws.event.shape', 'ws.rooms.only-subscribed'],
  world: 'feed',
  async run(target, judge) {
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = await busyPools(target)
    const rooms = pools.flatMap((key) => ROOM_KINDS.map((kind) => `${kind}:${key}`)).slice(0, MAX + 1)
    if (rooms.length <= MAX) throw new CannotJudge(`${pools.length} pools make only ${rooms.length} rooms`)
    const half = Math.ceil(rooms.length / 2)
    const witnesses = [
      await openServedFeed(target, credential, rooms.slice(0, half)),
      await openServedFeed(target, credential, rooms.slice(half)),
    ]
    const { feed: full, served } = await tryFeed(target, credential, rooms.slice(0, MAX))
    if (!served) {
      const seen = `synchronize is not answered after ${MAX} subscriptions, as it is after ${half}`
      judge.fail('ws.rooms.32-deliver', seen, full.evidence())
      throw new CannotJudge(`no socket with ${MAX} rooms to ask for one more`)
    }
    const over = await openOver(target, rooms)
    const feeds = [...witnesses, full, over]
    const counts = feeds.map((feed) => countFromNow(target, feed, rooms))
    const witnessed = (room: string) => (counts[0]?.(room) ?? 0) + (counts[1]?.(room) ?? 0)
    const [fullCount, overCount] = [counts[2] ?? none, counts[3] ?? none]
    // A room counts as silent only after several events: delivery is at most once.
    const silent = () => rooms.slice(0, MAX).filter((room) => fullCount(room) === 0)
    const done = () =>
      rooms.every((room) => witnessed(room) > 0) &&
      silent().every((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    await chainGoesOn(target, { done, ...BOUNDS })
    await Promise.all(feeds.map((feed) => feed.settled(3000)))

    const unseen = rooms.filter((room) => witnessed(room) === 0)
    const delivering = rooms.filter((room) => overCount(room) > 0)
    const seen = `${delivering.length} of ${rooms.length} rooms deliver`
    const closed = over.closed()
    if (delivering.length > MAX) judge.fail('ws.rooms.at-most-32', seen, over.evidence())
    else if (unseen.length > 0)
      judge.inconclusive('ws.rooms.at-most-32', `${unseen.length} rooms had nothing to deliver`)
    else judge.pass('ws.rooms.at-most-32', closed ? `closed with ${closed.code}` : seen)

    const missed = silent().filter((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    const lost = full.closed()
    if (full.received.some(({ control }) => control === 'resync_required')) {
      judge.inconclusive('ws.rooms.32-deliver', 'the socket was told that it missed events')
    } else if (missed.length > 0 && lost) {
      judge.inconclusive('ws.rooms.32-deliver', `the socket was closed with ${lost.code} meanwhile`)
    } else if (missed.length > 0) {
      judge.fail(
        'ws.rooms.32-deliver',
        `${missed.length} of ${MAX} rooms silent, the first ${missed[0]}`,
        full.evidence(),
      )
    } else if (silent().length > 0) {
      judge.inconclusive(
        'ws.rooms.32-deliver',
        `${silent().length} of ${MAX} rooms had too little to deliver`,
      )
    } else judge.pass('ws.rooms.32-deliver', `all of ${MAX} rooms deliver`)

    judgeEvents(target, judge, { witness: witnesses[0] ?? full, rooms: rooms.slice(0, half), feeds })
    for (const feed of feeds) feed.close()
  },
}

const EVENTS_MISSED_MIN = 3
const none = () => 0

/** A socket that asks for one room too many. A close is a refusal too, so it may be closed when it comes back. */
async function openOver(target: Target, rooms: readonly string[]): Promise<Feed> {
  const over = await openServedFeed(target, await readCredential(target), rooms.slice(0, MAX))
  for (const room of rooms.slice(MAX)) over.send({ action: 'subscribe', room })
  await isServed(over)
  return over
}

/** Counts the events of a room that reach the socket from here on. */
function countFromNow(target: Target, feed: Feed, rooms: readonly string[]): (room: string) => number {
  const { events } = target.profile.choices
  const counts = new Map(rooms.map((room) => [room, 0]))
  let read = feed.received.length
  return (room) => {
    for (const message of feed.received.slice(read)) {
      for (const one of rooms) if (isOfRoom(one, message, events)) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    read = feed.received.length
    return counts.get(room) ?? 0
  }
}

function judgeEvents(
  target: Target,
  judge: Judge,
  { witness, rooms, feeds }: { witness: Feed; rooms: readonly string[]; feeds: readonly Feed[] },
): void {
  const { events } = target.profile.choices
  const received = feeds.flatMap((feed) => feed.received).filter(({ control }) => control === undefined)
  const misshapen = received.filter(({ json }) => check('event', json).length > 0)
  if (received.length === 0) throw new CannotJudge('no event came')
  const misfits = misshapen.slice(0, 3).map(({ text }) => redactor.redactBody(text))
  judge.that(
    'ws.event.shape',
    misshapen.length === 0,
    `${misshapen.length} of ${received.length} events do not fit`,
    misfits,
  )

  const own = witness.received.filter(({ control }) => control === undefined)
  const foreign = own.filter((message) => isForeign(rooms, message, events))
  const expected = own.some((message) => rooms.some((room) => isOfRoom(room, message, events)))
  if (!expected && foreign.length === 0) {
    throw new CannotJudge('no event of its rooms came to the socket that is looked at')
  }
  const strangers = foreign.slice(0, 3).map(({ text }) => redactor.redactBody(text))
  judge.that(
    'ws.rooms.only-subscribed',
    foreign.length === 0,
    `${foreign.length} of ${own.length} events of other rooms`,
    strangers,
  )
}

/** The balance rooms: one's own, and another's. */
export const balanceRooms: Probe = {
  rules: ['ws.rooms.own-balance', 'ws.rooms.foreign-balance'],
  world: 'feed',
  async run(target, judge) {
    told(target.profile.choices.events.address, 'where an event names its address')
    const [mine, other] = [walletFor(target, 'feed'), walletFor(target, 'foreignBalance')]
    await withSession(target, other, (otherSession) =>
      withSession(target, mine, (session) => judgeBalances(target, judge, { session, otherSession })),
    )
  },
}

async function judgeBalances(
  target: Target,
  judge: Judge,
  { session, otherSession }: { session: Session; otherSession: Session },
): Promise<void> {
  const own = `balances:${session.wallet.address}`
  const foreign = `balances:${otherSession.wallet.address}`
  const owner = await openServedFeed(target, credentialOf(otherSession), [foreign])
  const feed = await openServedFeed(target, credentialOf(session), [own])
  const curious = await openServedFeed(target, credentialOf(session), [])
  curious.send({ action: 'subscribe', room: foreign })
  await isServed(curious)
  const [ownerCount, ownCount, curiousCount] = [
    countFromNow(target, owner, [foreign]),
    countFromNow(target, feed, [own]),
    countFromNow(target, curious, [foreign]),
  ]
  await chainGoesOn(target, { done: () => ownerCount(foreign) > 0 && ownCount(own) > 0, ...BOUNDS })
  await curious.settled(3000)
  if (ownCount(own) > 0) judge.pass('ws.rooms.own-balance', 'a change of the own balance arrived')
  else judge.inconclusive('ws.rooms.own-balance', 'no change of the own balance to be told')
  if (curiousCount(foreign) > 0) {
    judge.fail('ws.rooms.foreign-balance', 'changes of another address arrive', curious.evidence())
  } else if (ownerCount(foreign) > 0) {
    judge.pass('ws.rooms.foreign-balance', `nothing came while its owner got ${ownerCount(foreign)} changes`)
  } else judge.inconclusive('ws.rooms.foreign-balance', 'its owner got no change either')
  for (const one of [owner, feed, curious]) one.close()
}

/** Several, as any one pool may go quiet. */
const LEFT_ROOMS = 8
const STRAGGLERS_MS = 1000

/** Leaving rooms, while a witness stays. */
export const leaveRoom: Probe = {
  rules: ['ws.rooms.unsubscribe'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.unsubscribe'
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const rooms = (await busyPools(target)).slice(0, LEFT_ROOMS).map((key) => `pool_stats:${key}`)
    const witness = await openServedFeed(target, credential, rooms)
    const feed = await openServedFeed(target, credential, rooms)
    try {
      const { events } = target.profile.choices
      const count = ({ received }: Feed) =>
        received.filter((message) => rooms.some((room) => isOfRoom(room, message, events))).length
      if (!(await chainGoesOn(target, { done: () => count(feed) > 0, ...BOUNDS }))) {
        throw new CannotJudge('nothing came before the leave')
      }
      for (const room of rooms) feed.send({ action: 'unsubscribe', room })
      // Its answer comes after the leave has been dealt with; what was on its way by then may still arrive.
      if (!(await isServed(feed))) throw new CannotJudge('the socket is not served after the leave')
      await pause(STRAGGLERS_MS)
      const [before, witnessed] = [count(feed), count(witness)]
      const went = await chainGoesOn(target, { done: () => count(witness) > witnessed, ...BOUNDS })
      await feed.settled(3000)
      const late = count(feed) - before
      if (late > 0) judge.fail(rule, `${late} events after the leave`, feed.evidence())
      else if (!went) judge.inconclusive(rule, 'the witness got nothing after the leave either')
      else judge.pass(rule, `none after the leave, the witness got ${count(witness) - witnessed}`)
    } finally {
      witness.close()
      feed.close()
    }
  },
}
