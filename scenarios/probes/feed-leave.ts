import type { Target } from '../../contract/scenario-config.ts'
import {
  awaitStragglers,
  countFromNow,
  EVENT_POOL,
  EVENTS_MISSED_MIN,
  listEvents,
  settle,
  whySilent,
  whyUnassigned,
} from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { openServedFeed, tryFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, ifPossible, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { changeConfig } from './feed-config-change.ts'
import { areBothServed, KINDS, LEAVE_BOUNDS, LEFT_ROOMS, roomsOf } from './feed-rooms.ts'

/** Left too, but their events are seldom. */
const SELDOM = ['protocol_config', 'pool_launches']
/** Pools of which only one room is left, alternately of one kind and the other. */
const PARTLY = 4
const PARTLY_MS = 15_000
const CLOSE_MS = 1000
/** With a control API, which mines until a pool is launched. */
const SELDOM_BOUNDS = { blocksMax: 1200, blocksAtOnce: 10, waitMsMax: 60_000 }
/** Candles may come with each trade. */
const CANDLE_BOUNDS = { blocksMax: 0, waitMsMax: 5000 }

type Rooms = {
  /** Rooms to leave, by kind. */
  left: string[][]
  candles: string[]
  /** Groups of rooms that are not left. */
  kept: readonly { name: string; rooms: string[] }[]
}

function chooseRooms(pools: readonly string[]): Rooms {
  const split = (some: readonly string[], kind: number) => some.filter((_, index) => index % 2 === kind)
  const partly = pools.slice(LEFT_ROOMS, LEFT_ROOMS + PARTLY)
  const whole = pools.slice(0, LEFT_ROOMS)
  const left = KINDS.map((kind, index) => roomsOf(kind, [...split(whole, 0), ...split(partly, index)]))
  const kept = KINDS.map((kind) => ({ name: kind, rooms: roomsOf(kind, split(whole, 1)) }))
  const others = KINDS.map((kind, index) => ({
    name: `${kind} of pools whose other room was left`,
    rooms: roomsOf(kind, split(partly, 1 - index)),
  }))
  const candles = roomsOf('ohlcv', split(whole, 0))
  return { left, candles, kept: [...kept, ...others.filter(({ rooms }) => rooms.length > 0)] }
}

/** Joins some rooms twice, which one leave ends too, unless the exchange rejects that. */
async function openTwice(
  target: Target,
  credential: Credential,
  { rooms, twice }: { rooms: readonly string[]; twice: readonly string[] },
): Promise<Feed> {
  const tried = await ifPossible(() => tryFeed(target, credential, [...rooms, ...twice]))
  if (tried?.served) return tried.feed
  tried?.feed.close()
  return openServedFeed(target, credential, rooms)
}

export const leaveRoom: Probe = {
  rules: ['ws.rooms.unsubscribe'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.unsubscribe'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = await busyPools(target)
    const { left, candles, kept } = chooseRooms(pools)
    const keptRooms = kept.map(({ rooms }) => rooms)
    const rooms = [...left.flat(), ...candles, ...SELDOM, ...keptRooms.flat()]
    const [witness, feed] = await Promise.all([
      openServedFeed(target, credential, rooms),
      openTwice(target, credential, { rooms, twice: left.flat() }),
    ])
    const counts = (one: typeof feed, kinds: readonly string[][]) =>
      kinds.map((ofKind) => listEvents(target, one, ofKind).length)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const isHeard = () => counts(feed, left).every((ofKind) => ofKind > 0)
    if (!(await advanceChain(target, { done: isHeard, eachTurn, ...LEAVE_BOUNDS }))) {
      throw new CannotJudge(whyUnassigned(target, [feed]) ?? 'not all kinds of events came before the leave')
    }
    // A room of candles that sent none yet may be joined later than said, which another rule covers.
    const joined = candles.filter((room) => listEvents(target, feed, [room]).length > 0)
    const leaves = [...left.flat(), ...joined, ...SELDOM]
    const list = () => listEvents(target, feed, leaves)
    for (const room of leaves) feed.send({ action: 'unsubscribe', room })
    // The response confirms that the leave was processed; events in transit by then may still arrive.
    if (!(await areBothServed(feed, witness)))
      throw new CannotJudge('the socket is not served after the leave')
    await awaitStragglers([feed])
    const [before, keptBefore] = [list().length, counts(feed, keptRooms)]
    const heard = countFromNow(target, witness, [...joined, ...SELDOM])
    await changeConfig(target)
    await settle(target, [witness])
    const [witnessed, keptWitnessed] = [counts(witness, left), counts(witness, keptRooms)]
    const hasMore = () => counts(witness, left).every((ofKind, index) => ofKind > (witnessed[index] ?? 0))
    /** Groups of rooms that were not left, in which the witness gets events and this socket does not. */
    const lost = () => {
      const [came, due] = [counts(feed, keptRooms), counts(witness, keptRooms)]
      return kept.filter(
        (_, index) =>
          came[index] === keptBefore[index] &&
          (due[index] ?? 0) - (keptWitnessed[index] ?? 0) >= EVENTS_MISSED_MIN,
      )
    }
    /** True if events came in the first groups, as many as that. */
    const isKept = (groups: number) =>
      counts(feed, keptRooms.slice(0, groups)).every((ofGroup, index) => ofGroup > (keptBefore[index] ?? 0))
    let keptAtMs = Number.POSITIVE_INFINITY
    // Few pools are left in part, so their silence is no reason to wait long.
    const done = () => {
      if (hasMore() && isKept(KINDS.length)) keptAtMs = Math.min(keptAtMs, Date.now())
      return hasMore() && (isKept(kept.length) || lost().length > 0 || Date.now() - keptAtMs > PARTLY_MS)
    }
    const went =
      (await advanceChain(target, { done, eachTurn, ...LEAVE_BOUNDS })) || (hasMore() && isKept(KINDS.length))
    await settle(target, [feed])
    const late = () => list().slice(before)
    const closed = feed.closed()
    const failLate = () =>
      judge.fail(
        rule,
        `${late().length} events after the leave, the first is ${late()[0]?.type}`,
        feed.evidence(),
      )
    if (late().length > 0) failLate()
    else if (closed) judge.inconclusive(rule, `closed with ${closed.code} after the leave`, feed.evidence())
    else if (lost().length > 0 && whySilent(feed) === undefined)
      judge.fail(
        rule,
        `rooms that were not left are silent: ${lost()
          .map(({ name }) => name)
          .join(', ')}`,
        feed.evidence(),
      )
    else if (!went) {
      const stayed = { credential, stayed: witness, rooms: left.flat(), eachTurn }
      const wasHeard = witnessed.some((ofKind) => ofKind > 0)
      const isQuiet = counts(witness, left).every((ofKind, index) => ofKind === witnessed[index])
      if (wasHeard && isQuiet && (await isSilenced(target, stayed)))
        judge.fail(rule, 'the leave of one socket silences another that stays', witness.evidence())
      else judge.inconclusive(rule, 'the witness did not get events of each kind after the leave either')
    } else {
      const again = countFromNow(target, feed, leaves)
      const isLate = () => leaves.some((room) => again(room) > 0)
      const isHeardAgain = () =>
        joined.some((room) => heard(room) > 0) &&
        (!hasControl(target) || SELDOM.every((room) => heard(room) > 0))
      const bounds = hasControl(target) ? SELDOM_BOUNDS : CANDLE_BOUNDS
      await unlessCannot(async () => {
        await advanceChain(target, { done: () => isLate() || isHeardAgain(), eachTurn, ...bounds })
      })
      await settle(target, [feed])
      if (late().length > 0) failLate()
      feed.close()
      await feed.until(() => false, CLOSE_MS)
      const stayed = { credential, stayed: witness, rooms: [...left, ...keptRooms].flat(), eachTurn }
      await unlessCannot(async () => {
        if (feed.closed() && (await isSilenced(target, stayed)))
          judge.fail(rule, 'the close of one socket silences another', witness.evidence())
      })
      judge.pass(
        rule,
        `no event after the leave, while the witness got events of each of ${KINDS.join(', ')}`,
      )
    }
    witness.close()
    feed.close()
  },
}

const SILENCE_BOUNDS = { blocksMax: 40, waitMsMax: 15_000 }

/**
 * Returns true if a socket gets no event of its rooms, while one that joins them now gets several: what another socket did
 * has silenced it. False proves nothing.
 */
async function isSilenced(
  target: Target,
  options: {
    credential: Credential
    stayed: Feed
    rooms: readonly string[]
    /** Renews its ticket. */
    eachTurn: () => Promise<void>
  },
): Promise<boolean> {
  const { credential, stayed, rooms, eachTurn } = options
  const createCounter = (feed: Feed) => {
    const count = countFromNow(target, feed, rooms)
    return () => rooms.reduce((sum, room) => sum + count(room), 0)
  }
  const came = createCounter(stayed)
  if (await advanceChain(target, { done: () => came() > 0, eachTurn, ...SILENCE_BOUNDS })) return false
  const newer = await openServedFeed(target, credential, rooms)
  const due = createCounter(newer)
  const keepNewer = await keepServed(target, { credential, feeds: [newer] })
  const keepBoth = async () => void (await Promise.all([eachTurn(), keepNewer()]))
  const done = () => came() > 0 || due() >= EVENTS_MISSED_MIN
  await advanceChain(target, { done, eachTurn: keepBoth, ...SILENCE_BOUNDS })
  await settle(target, [stayed])
  newer.close()
  return came() === 0 && due() >= EVENTS_MISSED_MIN && whySilent(stayed) === undefined
}
