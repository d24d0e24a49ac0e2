import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { busyPools } from '../lib/busy-pools.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import { chainGoesOn } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import { type Feed, isServed, openServedFeed } from '../lib/feed.ts'
import type { Judge } from '../lib/judge.ts'
import type { Probe } from '../lib/probe.ts'
import { isOfRoom } from '../lib/room.ts'
import { credentialOf, endSession, signIn } from '../lib/session.ts'
import { walletFor } from '../lib/wallet.ts'

const MAX = LIMITS.wsRoomsPerConnection
const ROOM_KINDS = ['pool_stats', 'trades', 'ohlcv']
const BOUNDS = { blocksMax: 300, waitMsMax: 40_000 }

/**
 * How many rooms deliver. Two witnesses share the rooms between them, well inside the limit: they prove that each room had
 * something to deliver.
 */
export const roomLimit: Probe = {
  rules: ['ws.rooms.at-most-32', 'ws.rooms.32-deliver', 'ws.event.shape', 'ws.rooms.only-subscribed'],
  world: 'feed',
  async run(target, judge) {
    const credential = await readCredential(target)
    const pools = await busyPools(target)
    const rooms = pools.flatMap((key) => ROOM_KINDS.map((kind) => `${kind}:${key}`)).slice(0, MAX + 1)
    if (rooms.length <= MAX) throw new CannotJudge(`${pools.length} pools make only ${rooms.length} rooms`)
    const half = Math.ceil(rooms.length / 2)
    const open = (some: readonly string[]) => openServedFeed(target, credential, some)
    const witnesses = [await open(rooms.slice(0, half)), await open(rooms.slice(half))]
    const full = await open(rooms.slice(0, MAX))
    const over = await openOver(target, rooms)
    try {
      const delivered = (feed: Feed) => deliveringRooms(target, feed, rooms)
      const witnessed = () => new Set(witnesses.flatMap((witness) => [...delivered(witness)]))
      const complete = await chainGoesOn(target, { done: () => witnessed().size === rooms.length, ...BOUNDS })
      const feeds = [...witnesses, full, over]
      await Promise.all(feeds.map((feed) => feed.settled(3000)))

      const overCount = delivered(over).size
      const seen = `${overCount} of ${rooms.length} rooms deliver`
      if (overCount > MAX) judge.fail('ws.rooms.at-most-32', seen, over.evidence())
      else if (!complete)
        judge.inconclusive(
          'ws.rooms.at-most-32',
          `only ${witnessed().size} of ${rooms.length} rooms had something to deliver`,
        )
      else judge.pass('ws.rooms.at-most-32', over.closed() ? `closed with ${over.closed()?.code}` : seen)

      const owed = rooms.slice(0, MAX).filter((room) => witnessed().has(room))
      const silent = owed.filter((room) => !delivered(full).has(room))
      if (silent.length > 0)
        judge.fail(
          'ws.rooms.32-deliver',
          `${silent.length} of ${owed.length} rooms silent, the first ${silent[0]}`,
          full.evidence(),
        )
      else if (owed.length < MAX)
        judge.inconclusive(
          'ws.rooms.32-deliver',
          `only ${owed.length} of ${MAX} rooms had something to deliver`,
        )
      else judge.pass('ws.rooms.32-deliver', `all of ${MAX} rooms deliver`)
      judgeEvents(target, judge, { witness: witnesses[0] as Feed, rooms: rooms.slice(0, half), feeds })
    } finally {
      for (const feed of [...witnesses, full, over]) feed.close()
    }
  },
}

/** A socket that asks for one room too many. A close is a refusal too, so it may be closed when it comes back. */
async function openOver(target: Target, rooms: readonly string[]): Promise<Feed> {
  const over = await openServedFeed(target, await readCredential(target), rooms.slice(0, MAX))
  over.send({ action: 'subscribe', room: rooms[MAX] as string })
  await over.settled(3000)
  return over
}

function deliveringRooms(target: Target, feed: Feed, rooms: readonly string[]): Set<string> {
  const { events } = target.profile.choices
  return new Set(rooms.filter((room) => feed.received.some((message) => isOfRoom(room, message, events))))
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
  judge.that(
    'ws.event.shape',
    misshapen.length === 0,
    `${misshapen.length} of ${received.length} events do not fit`,
    misshapen.slice(0, 3).map(({ text }) => text),
  )

  const own = witness.received.filter(({ control }) => control === undefined)
  const foreign = own.filter((message) => !rooms.some((room) => isOfRoom(room, message, events)))
  if (own.length === 0) throw new CannotJudge('no event came to the socket that is looked at')
  judge.that(
    'ws.rooms.only-subscribed',
    foreign.length === 0,
    `${foreign.length} of ${own.length} events of other rooms`,
    foreign.slice(0, 3).map(({ text }) => text),
  )
}

/** The balance rooms: one's own, and another's. */
export const balanceRooms: Probe = {
  rules: ['ws.rooms.own-balance', 'ws.rooms.foreign-balance'],
  world: 'feed',
  async run(target, judge) {
    const [mine, other] = [walletFor(target, 'feed'), walletFor(target, 'foreignBalance')]
    const [session, otherSession] = [await signIn(target, mine), await signIn(target, other)]
    const rooms = { own: `balances:${mine.address}`, foreign: `balances:${other.address}` }
    const owner = await openServedFeed(target, credentialOf(otherSession), [rooms.foreign])
    const feed = await openServedFeed(target, credentialOf(session), [rooms.own])
    const curious = await openServedFeed(target, credentialOf(session), [])
    curious.send({ action: 'subscribe', room: rooms.foreign })
    await curious.settled(3000)
    try {
      const has = (one: Feed, room: string) =>
        one.received.some((message) => isOfRoom(room, message, target.profile.choices.events))
      await chainGoesOn(target, { done: () => has(owner, rooms.foreign) && has(feed, rooms.own), ...BOUNDS })
      await curious.settled(3000)
      if (has(feed, rooms.own)) judge.pass('ws.rooms.own-balance', 'a change of the own balance arrived')
      else judge.inconclusive('ws.rooms.own-balance', 'no change of the own balance to be told')
      if (has(curious, rooms.foreign))
        judge.fail('ws.rooms.foreign-balance', 'changes of another address arrive', curious.evidence())
      else if (has(owner, rooms.foreign))
        judge.pass('ws.rooms.foreign-balance', 'nothing came while its owner got changes')
      else judge.inconclusive('ws.rooms.foreign-balance', 'its owner got no change either')
    } finally {
      for (const one of [owner, feed, curious]) one.close()
      await endSession(target, session)
      await endSession(target, otherSession)
    }
  },
}

/** Several, as any one pool may go quiet. */
const LEFT_ROOMS = 8

/** Leaving rooms, while a witness stays. */
export const leaveRoom: Probe = {
  rules: ['ws.rooms.unsubscribe'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.unsubscribe'
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
      // Its answer comes after the leave has been dealt with, and after whatever was on its way.
      if (!(await isServed(feed))) throw new CannotJudge('the socket is not served after the leave')
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
