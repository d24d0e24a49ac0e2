import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  countFromNow,
  EVENT_POOL,
  EVENTS_MISSED_MIN,
  listEvents,
  settle,
  whySilent,
} from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { authenticatePatiently, isServed, openServedFeed, takeTicket } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { changeConfig } from './feed-config-change.ts'

const LEAVE_BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }
const LEFT_ROOMS = 8
/** Kinds that a busy pool sends all the time. */
const KINDS = ['pool_stats', 'trades']
/** Left too, but their events are seldom. */
const SELDOM = ['protocol_config', 'pool_launches']
const STRAGGLERS_MS = 1000
const CLOSE_MS = 1000
/** With a control API, which mines until a pool is launched. */
const SELDOM_BOUNDS = { blocksMax: 1200, blocksAtOnce: 10, waitMsMax: 60_000 }
/** Candles may come with each trade. */
const CANDLE_BOUNDS = { blocksMax: 0, waitMsMax: 5000 }

/** The witness synchronizes too, so that a silence caused by `synchronize` affects both. */
function areBothServed(feed: Feed, witness: Feed): Promise<boolean> {
  return withMiningPaused(async () => (await Promise.all([isServed(feed), isServed(witness)])).every(Boolean))
}

function roomsOf(kinds: readonly string[], pools: readonly string[]): string[][] {
  return kinds.map((kind) => pools.map((key) => `${kind}:${key}`))
}

export const leaveRoom: Probe = {
  rules: ['ws.rooms.unsubscribe'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.unsubscribe'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, LEFT_ROOMS)
    const [leftPools, keptPools] = [0, 1].map((parity) =>
      pools.filter((_, index) => index % 2 === parity),
    ) as [string[], string[]] // as: one for each parity
    const [left, kept] = [roomsOf(KINDS, leftPools), roomsOf(KINDS, keptPools)]
    const candles = roomsOf(['ohlcv'], leftPools).flat()
    const rooms = [...left.flat(), ...candles, ...SELDOM, ...kept.flat()]
    const [witness, feed] = await Promise.all([
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, rooms),
    ])
    const counts = (one: typeof feed, kinds: readonly string[][]) =>
      kinds.map((ofKind) => listEvents(target, one, ofKind).length)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const isHeard = () => counts(feed, left).every((ofKind) => ofKind > 0)
    if (!(await advanceChain(target, { done: isHeard, eachTurn, ...LEAVE_BOUNDS }))) {
      throw new CannotJudge('not all kinds of events came before the leave')
    }
    // A room of candles that sent none yet may be joined later than said, which another rule covers.
    const joined = candles.filter((room) => listEvents(target, feed, [room]).length > 0)
    const leaves = [...left.flat(), ...joined, ...SELDOM]
    const list = () => listEvents(target, feed, leaves)
    for (const room of leaves) feed.send({ action: 'unsubscribe', room })
    // The response confirms that the leave was processed; events in transit by then may still arrive.
    if (!(await areBothServed(feed, witness)))
      throw new CannotJudge('the socket is not served after the leave')
    await pause(STRAGGLERS_MS)
    const [before, keptBefore] = [list().length, counts(feed, kept)]
    const heard = countFromNow(target, witness, [...joined, ...SELDOM])
    await changeConfig(target)
    await settle([witness])
    const [witnessed, keptWitnessed] = [counts(witness, left), counts(witness, kept)]
    const hasMore = () => counts(witness, left).every((ofKind, index) => ofKind > (witnessed[index] ?? 0))
    /** Kinds that the witness still gets in rooms that were not left, and this socket does not. */
    const lost = () => {
      const [came, due] = [counts(feed, kept), counts(witness, kept)]
      return KINDS.filter(
        (_, index) =>
          came[index] === keptBefore[index] &&
          (due[index] ?? 0) - (keptWitnessed[index] ?? 0) >= EVENTS_MISSED_MIN,
      )
    }
    const isKept = () => counts(feed, kept).every((ofKind, index) => ofKind > (keptBefore[index] ?? 0))
    const done = () => hasMore() && (isKept() || lost().length > 0)
    const went = await advanceChain(target, { done, eachTurn, ...LEAVE_BOUNDS })
    await settle([feed])
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
      judge.fail(rule, `rooms that were not left are silent: ${lost().join(', ')}`, feed.evidence())
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
      await settle([feed])
      if (late().length > 0) failLate()
      feed.close()
      await feed.until(() => false, CLOSE_MS)
      const stayed = { credential, stayed: witness, rooms: [...left, ...kept].flat(), eachTurn }
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

/** Eight of 32 rooms are swapped for eight others, which a witness shares. */
export const roomsFreed: Probe = {
  rules: ['ws.rooms.freed'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.freed'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
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
    if (!(await areBothServed(feed, witness)))
      throw new CannotJudge(whySilent(feed) ?? 'the socket is not served after the change of rooms')
    const came = countFromNow(target, feed, others)
    await settle([witness])
    const witnessed = countFromNow(target, witness, others)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const done = () => others.every((room) => came(room) > 0 || witnessed(room) >= EVENTS_MISSED_MIN)
    await advanceChain(target, { done, eachTurn, ...LEAVE_BOUNDS })
    await settle([witness, feed])
    const why = whySilent(feed)
    const delivering = others.filter((room) => came(room) > 0)
    const owing = others.filter((room) => came(room) === 0 && witnessed(room) > 0)
    const missed = owing.filter((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    const seen = `${delivering.length} of the ${others.length} rooms joined instead deliver`
    if (why !== undefined && owing.length > 0) judge.inconclusive(rule, why)
    else if (missed.length > 0)
      judge.fail(rule, `${seen}, while a witness gets events of ${missed.length} others`, feed.evidence())
    else if (owing.length > 0 || delivering.length === 0)
      judge.inconclusive(rule, `${seen}; of ${owing.length} others a witness got too few events to judge`)
    else judge.pass(rule, seen)
    witness.close()
    feed.close()
  },
}

export const renewedRooms: Probe = {
  rules: ['ws.ticket.renewal-keeps-rooms'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.ticket.renewal-keeps-rooms'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, LEFT_ROOMS)
    const kinds = roomsOf(KINDS, pools)
    const [witness, feed] = await Promise.all([
      openServedFeed(target, credential, kinds.flat()),
      openServedFeed(target, credential, kinds.flat()),
    ])
    const { ticket } = await takeTicket(target, credential)
    await withMiningPaused(() => authenticatePatiently(feed, ticket))
    if (!(await areBothServed(feed, witness)))
      throw new CannotJudge('the socket is not served after the renewal')
    const createCounters = (one: Feed) =>
      kinds.map((rooms) => {
        const count = countFromNow(target, one, rooms)
        return () => rooms.reduce((sum, room) => sum + count(room), 0)
      })
    const came = createCounters(feed)
    await settle([witness])
    const due = createCounters(witness)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const done = () => came.every((count, kind) => count() > 0 || (due[kind]?.() ?? 0) >= EVENTS_MISSED_MIN)
    await advanceChain(target, { done, eachTurn, ...LEAVE_BOUNDS })
    await settle([witness, feed])
    const isSilent = (kind: number) => came[kind]?.() === 0
    const silent = KINDS.filter((_, kind) => isSilent(kind))
    const missed = KINDS.filter((_, kind) => isSilent(kind) && (due[kind]?.() ?? 0) >= EVENTS_MISSED_MIN)
    const why = whySilent(feed)
    if (silent.length === 0) judge.pass(rule, `events of ${KINDS.join(' and ')} after the renewal`)
    else if (why !== undefined) judge.inconclusive(rule, why)
    else if (missed.length > 0)
      judge.fail(rule, `silent after the renewal: ${missed.join(', ')}`, feed.evidence())
    else judge.inconclusive(rule, `the witness got too few events: ${silent.join(', ')}`)
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
  await settle([stayed])
  newer.close()
  return came() === 0 && due() >= EVENTS_MISSED_MIN && whySilent(stayed) === undefined
}
