import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  countFromNow,
  EVENT_POOL,
  EVENTS_MISSED_MIN,
  settle,
  whySilent,
  whyUnassigned,
} from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { authenticatePatiently, isServed, openServedFeed, takeTicket } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, requireChoice } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

export const LEAVE_BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }
export const LEFT_ROOMS = 8
/** Kinds that a busy pool sends all the time. */
export const KINDS = ['pool_stats', 'trades']

/** Fails for candles too, but needs none. */
const RENEWED_KINDS = [...KINDS, 'ohlcv']

/** The witness synchronizes too, so that a silence caused by `synchronize` affects both. */
export function areBothServed(feed: Feed, witness: Feed): Promise<boolean> {
  return withMiningPaused(async () => (await Promise.all([isServed(feed), isServed(witness)])).every(Boolean))
}

export function roomsOf(kind: string, pools: readonly string[]): string[] {
  return pools.map((key) => `${kind}:${key}`)
}

const SPREADS = 3
/** The first rooms, which have most events. */
const BUSY = 12

/** A socket that joined one room more than the limit, and its busy rooms. */
type Spread = { feed: Feed; busy: readonly string[] }

/**
 * Opens sockets that join one room above the limit, a busy one. The other busy rooms have, together, each other place in the order
 * of joins. If all of them deliver, no room was dropped for the last one, and it was not rejected. `rooms`: the busiest first.
 */
export async function openSpreads(
  target: Target,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<Spread[]> {
  const max = LIMITS.wsRoomsPerConnection
  const open = async (_: undefined, turn: number) => {
    const [busy, others] = [rooms.slice(0, BUSY), rooms.slice(BUSY)]
    const last = busy.slice(turn, turn + 1)
    const left = busy.filter((room) => !last.includes(room))
    const held = Array.from({ length: max }, (_, place) =>
      place % SPREADS === turn ? (left.shift() ?? others.shift()) : others.shift(),
    ).filter((room) => room !== undefined)
    const feed = await openServedFeed(target, credential, held)
    for (const room of last) feed.send({ action: 'subscribe', room })
    await withMiningPaused(() => isServed(feed))
    return { feed, busy: [...held.filter((room) => busy.includes(room)), ...last] }
  }
  return await Promise.all(Array(SPREADS).fill(undefined).map(open))
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
    await settle(target, [witness])
    const witnessed = countFromNow(target, witness, others)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    const done = () => others.every((room) => came(room) > 0 || witnessed(room) >= EVENTS_MISSED_MIN)
    await advanceChain(target, { done, eachTurn, ...LEAVE_BOUNDS })
    await settle(target, [witness, feed])
    const why = whySilent(feed)
    const delivering = others.filter((room) => came(room) > 0)
    const owing = others.filter((room) => came(room) === 0 && witnessed(room) > 0)
    const missed = owing.filter((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    const seen = `${delivering.length} of the ${others.length} rooms joined instead deliver`
    if (why !== undefined && owing.length > 0) judge.inconclusive(rule, why)
    else if (missed.length > 0)
      judge.fail(rule, `${seen}, while a witness gets events of ${missed.length} others`, feed.evidence())
    else if (owing.length > 0 || delivering.length === 0)
      judge.inconclusive(
        rule,
        whyUnassigned(target, [witness]) ??
          `${seen}; of ${owing.length} others a witness got too few events to judge`,
      )
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
    const kinds = RENEWED_KINDS.map((kind) => roomsOf(kind, pools))
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
    await settle(target, [witness])
    const due = createCounters(witness)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, feed] })
    // A candle may only come when it closes: no one waits for the first one without a control API.
    const isWorthWaiting = (kind: number) => kind < KINDS.length || hasControl(target) || due[kind]?.() !== 0
    const done = () =>
      came.every(
        (count, kind) => count() > 0 || (due[kind]?.() ?? 0) >= EVENTS_MISSED_MIN || !isWorthWaiting(kind),
      )
    await advanceChain(target, { done, eachTurn, ...LEAVE_BOUNDS })
    await settle(target, [witness, feed])
    const isSilent = (kind: number) => came[kind]?.() === 0
    const silent = KINDS.filter((_, kind) => isSilent(kind))
    const missed = RENEWED_KINDS.filter(
      (_, kind) => isSilent(kind) && (due[kind]?.() ?? 0) >= EVENTS_MISSED_MIN,
    )
    const why = whySilent(feed)
    if (silent.length === 0 && missed.length === 0)
      judge.pass(rule, `events of ${KINDS.join(' and ')} after the renewal`)
    else if (why !== undefined) judge.inconclusive(rule, why)
    else if (missed.length > 0)
      judge.fail(rule, `silent after the renewal: ${missed.join(', ')}`, feed.evidence())
    else
      judge.inconclusive(
        rule,
        whyUnassigned(target, [witness]) ?? `the witness got too few events: ${silent.join(', ')}`,
      )
    witness.close()
    feed.close()
  },
}
