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
import {
  authenticatePatiently,
  isServed,
  openServedFeed,
  takeTicket,
  tryFeed,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, requireChoice } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const MAX = LIMITS.wsRoomsPerConnection
const ROOM_KINDS = ['pool_stats', 'trades', 'ohlcv']
const OVER = ROOM_KINDS.length
const BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }

/**
 * Counts the rooms that deliver. Two witnesses share the rooms, well within the limit, and prove that each had events.
 * Events before all four sockets were served do not count.
 */
export const roomLimit: Probe = {
  rules: ['ws.rooms.at-most-32', 'ws.rooms.32-deliver'],
  world: 'feed',
  async run(target, judge) {
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = await busyPools(target)
    const rooms = pools.flatMap((key) => ROOM_KINDS.map((kind) => `${kind}:${key}`)).slice(0, MAX + OVER)
    if (rooms.length <= MAX) throw new CannotJudge(`${pools.length} pools make only ${rooms.length} rooms`)
    const { witnesses, full, over } = await openAll(target, judge, { credential, rooms })
    const feeds = [...witnesses, full, over]
    const [fullCount, overCount] = [countFromNow(target, full, rooms), countFromNow(target, over, rooms)]
    await settle(witnesses)
    const counts = witnesses.map((feed) => countFromNow(target, feed, rooms))
    const witnessed = (room: string) => counts.reduce((sum, count) => sum + count(room), 0)
    const silent = () => rooms.slice(0, MAX).filter((room) => fullCount(room) === 0)
    const done = () =>
      rooms.every((room) => witnessed(room) > 0) &&
      silent().every((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    const eachTurn = await keepServed(target, { credential, feeds })
    await advanceChain(target, { done, eachTurn, ...BOUNDS })
    await settle(feeds)

    judgeOver(judge, { over, rooms, witnessed, overCount })
    judgeFull(judge, { full, silent: silent(), witnessed })
    for (const feed of feeds) feed.close()
  },
}

async function openAll(
  target: Target,
  judge: Judge,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<{ witnesses: Feed[]; full: Feed; over: Feed }> {
  const half = Math.ceil(rooms.length / 2)
  const [witnesses, { feed: full, served }] = await Promise.all([
    Promise.all([
      openServedFeed(target, credential, rooms.slice(0, half)),
      openServedFeed(target, credential, rooms.slice(half)),
    ]),
    tryFeed(target, credential, rooms.slice(0, MAX)),
  ])
  if (!served) {
    const seen = `synchronize gets no response after ${MAX} subscriptions, but does after ${half}`
    judge.fail('ws.rooms.32-deliver', seen, full.evidence())
    throw new CannotJudge(`no socket with ${MAX} rooms to subscribe to one more`)
  }
  return { witnesses, full, over: await openOver(target, { credential, rooms }) }
}

/** Opens a socket that subscribes to too many rooms, twice each. A close counts as a rejection, so it may return closed. */
async function openOver(
  target: Target,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<Feed> {
  const over = await openServedFeed(target, credential, rooms.slice(0, MAX))
  for (let round = 0; round < 2; round++) {
    for (const room of rooms.slice(MAX)) over.send({ action: 'subscribe', room })
    await withMiningPaused(() => isServed(over))
  }
  return over
}

type Count = (room: string) => number

function judgeOver(
  judge: Judge,
  options: { over: Feed; rooms: readonly string[]; witnessed: Count; overCount: Count },
): void {
  const { over, rooms, witnessed, overCount } = options
  const rule = 'ws.rooms.at-most-32'
  const unseen = rooms.filter((room) => witnessed(room) === 0)
  const delivering = rooms.filter((room) => overCount(room) > 0)
  const seen = `${delivering.length} of ${rooms.length} rooms deliver`
  const closed = over.closed()
  if (delivering.length > MAX) judge.fail(rule, seen, over.evidence())
  else if (unseen.length > 0) judge.inconclusive(rule, `${unseen.length} rooms had nothing to deliver`)
  else judge.pass(rule, closed ? `closed with ${closed.code}` : seen)
}

function judgeFull(
  judge: Judge,
  { full, silent, witnessed }: { full: Feed; silent: readonly string[]; witnessed: Count },
): void {
  const rule = 'ws.rooms.32-deliver'
  const missed = silent.filter((room) => witnessed(room) >= EVENTS_MISSED_MIN)
  const why = whySilent(full)
  if (silent.length === 0) judge.pass(rule, `all of ${MAX} rooms deliver`)
  else if (why !== undefined) judge.inconclusive(rule, why)
  else if (missed.length > 0) {
    judge.fail(
      rule,
      `${missed.length} of ${MAX} rooms are silent, the first is ${missed[0]}`,
      full.evidence(),
    )
  } else judge.inconclusive(rule, `${silent.length} of ${MAX} rooms had too little to deliver`)
}

const LEAVE_BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }
const LEFT_ROOMS = 8
/** Kinds that a busy pool sends all the time. */
const KINDS = ['pool_stats', 'trades']
const STRAGGLERS_MS = 1000

/** The witness synchronizes too, so that a silence caused by `synchronize` affects both. */
function areBothServed(feed: Feed, witness: Feed): Promise<boolean> {
  return withMiningPaused(async () => (await Promise.all([isServed(feed), isServed(witness)])).every(Boolean))
}

export const leaveRoom: Probe = {
  rules: ['ws.rooms.unsubscribe'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.rooms.unsubscribe'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, LEFT_ROOMS)
    const [left, kept] = [0, 1].map((parity) => {
      const some = pools.filter((_, index) => index % 2 === parity)
      return KINDS.map((kind) => some.map((key) => `${kind}:${key}`))
    }) as [string[][], string[][]] // as: one for each parity
    const rooms = [...left, ...kept].flat()
    const [witness, feed] = await Promise.all([
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, rooms),
    ])
    const count = (one: typeof feed) => listEvents(target, one, left.flat()).length
    const counts = (one: typeof feed, kinds: readonly string[][]) =>
      kinds.map((ofKind) => listEvents(target, one, ofKind).length)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const isHeard = () => counts(feed, left).every((ofKind) => ofKind > 0)
    if (!(await advanceChain(target, { done: isHeard, eachTurn, ...LEAVE_BOUNDS }))) {
      throw new CannotJudge('not all kinds of events came before the leave')
    }
    for (const room of left.flat()) feed.send({ action: 'unsubscribe', room })
    // The response confirms that the leave was processed; events in transit by then may still arrive.
    if (!(await areBothServed(feed, witness)))
      throw new CannotJudge('the socket is not served after the leave')
    await pause(STRAGGLERS_MS)
    const [before, keptBefore] = [count(feed), counts(feed, kept)]
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
    const late = count(feed) - before
    const closed = feed.closed()
    if (late > 0) judge.fail(rule, `${late} events after the leave`, feed.evidence())
    else if (closed) judge.inconclusive(rule, `closed with ${closed.code} after the leave`, feed.evidence())
    else if (lost().length > 0 && whySilent(feed) === undefined)
      judge.fail(rule, `rooms that were not left are silent: ${lost().join(', ')}`, feed.evidence())
    else if (!went)
      judge.inconclusive(rule, 'the witness did not get events of each kind after the leave either')
    else
      judge.pass(
        rule,
        `no event after the leave, while the witness got events of each of ${KINDS.join(', ')}`,
      )
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
    const kinds = KINDS.map((kind) => pools.map((key) => `${kind}:${key}`))
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
