import { exactFields, findInexact } from '../../contract/exact-fields.ts'
import { findEventPath } from '../../contract/room-events.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  countFromNow,
  EVENTS_MISSED_MIN,
  hasSubject,
  isForeign,
  isRoomEvent,
  listEvents,
  repeats,
  settle,
  whySilent,
  whyUnassigned,
} from '../lib/feed/events.ts'
import { type Feed, type FeedMessage, openFeed } from '../lib/feed/feed.ts'
import {
  authenticatePatiently,
  isServed,
  openRooms,
  openServedFeed,
  takeTicket,
  tryFeed,
} from '../lib/feed/served-feed.ts'
import { otherCredential, readCredential } from '../lib/identity/credential.ts'
import { awaitOwed, countUpdates, type Owed } from '../lib/market/await-owed.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { listPools } from '../lib/market/swap-watch.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { redactor } from '../lib/redact.ts'
import type { Credential } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { check } from '../lib/verdict/check.ts'
import { byItself, CannotJudge, ifPossible, type Judge } from '../lib/verdict/judge.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { changeConfig } from './feed-config-change.ts'

/** Three rooms each stays within the room limit. */
const POOLS = 10
/** The specification does not say how often statistics and candles are sent. */
const SILENT_SECONDS_MIN = 75

/** `record`: it has to be updated over REST while the room is silent. Trades are in /swaps. */
export const KINDS = [
  { rule: 'ws.rooms.pool-stats', room: 'pool_stats', type: 'PoolStats', record: 'stats' },
  { rule: 'ws.rooms.trades', room: 'trades', type: 'Trade', record: undefined },
  { rule: 'ws.rooms.ohlcv', room: 'ohlcv', type: 'Ohlcv', record: 'ohlcv' },
] as const

const TRADES_MIN = 10
const CONFIG = 'protocol_config'
const AT_MOST_ONCE = 'ws.delivery.at-most-once'

export const roomKinds: Probe = {
  rules: [
    ...KINDS.map(({ rule }) => rule),
    'ws.event.shape',
    'ws.event.exact-values',
    'ws.rooms.only-subscribed',
    AT_MOST_ONCE,
  ],
  world: 'feed',
  async run(target, judge) {
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, POOLS)
    const rooms = pools.flatMap((key) => KINDS.map(({ room }) => `${room}:${key}`))
    const { feed, served } = await tryFeed(target, credential, rooms)
    if (!served) await findUnserved(target, judge, { credential, pools })
    // Join one room of each pool: events of its other rooms, or of other pools, are foreign.
    const apart = pools.map((key, index) => `${KINDS[index % KINDS.length]?.room}:${key}`)
    const narrow = await openServedFeed(target, credential, apart)
    // Rooms joined twice send each event once; the watch over all sockets checks the trades.
    const once = [CONFIG, ...pools.map((key) => `trades:${key}`)]
    const { feed: joinedTwice } = await tryFeed(target, credential, [...once, ...once])
    const kinds = KINDS.map(({ room }) => pools.map((key) => `${room}:${key}`))
    // Next to a token, also with a session.
    const session = 'bearer' in credential ? await otherCredential(target) : undefined
    const joined = await Promise.all(
      [credential, session].map((by) =>
        ifPossible(async () => by && joinUnsynchronized(target, { credential: by, kinds, witness: feed })),
      ),
    )
    const unsynchronized = joined.filter((one) => one !== undefined)
    const others = [narrow, joinedTwice, ...unsynchronized.map((one) => one.feed)]
    await changeConfig(target)
    const ofType = (type: string) => feed.received.filter((message) => message.type === type)
    const isComplete = () =>
      KINDS.every(
        ({ type }, kind) => ofType(type).length > 0 && unsynchronized.every((one) => one.isSettled(kind)),
      )
    const eachTurn = await keepServed(target, { credential, feeds: [feed, narrow] })
    const owed = await awaitOwed(target, {
      done: () => isComplete() && ofType('Trade').length >= TRADES_MIN,
      isOwing: (swap) => listPools(swap).some((key) => pools.includes(key)),
      credential,
      eachTurn,
    })
    feed.send({ action: 'synchronize' })
    await settle(target, [feed, ...others])
    for (const one of unsynchronized) {
      const silent = await one.findSilent()
      for (const { rule, type } of KINDS.filter((_, kind) => silent.includes(kind)))
        judge.fail(rule, `no ${type} without synchronize, ${one.by}`, one.feed.evidence())
    }
    const heard = { feed, list: ofType, owed, pools, eachTurn }
    await Promise.all(
      KINDS.map((kind) => byItself(judge, kind.rule, () => judgeKind(target, judge, kind, heard))),
    )
    // The specification leaves other frames open.
    const events = feed.received.filter((message) => message.control === undefined && isRoomEvent(message))
    judgeShape(judge, events)
    judgeExactValues(judge, events)
    judgeForeign(target, judge, [
      { rooms, feed },
      { rooms: apart, feed: narrow },
    ])
    const changes = listEvents(target, joinedTwice, [CONFIG])
    judgeRepeatedChanges(judge, joinedTwice, changes)
    judgeRepeats(target, judge, { feed, trades: ofType('Trade') })
    for (const socket of [feed, ...others]) socket.close()
  },
}

async function findUnserved(
  target: Target,
  judge: Judge,
  { credential, pools }: { credential: Credential; pools: readonly string[] },
): Promise<never> {
  await Promise.all(
    KINDS.map(({ rule, room }) =>
      byItself(judge, rule, async () => {
        const rooms = pools.map((key) => `${room}:${key}`)
        const feed = await openRooms(target, credential, { judge, rule, rooms })
        feed.close()
      }),
    ),
  )
  throw new CannotJudge('a socket with the rooms of all kinds is not served')
}

type Kind = Pick<(typeof KINDS)[number], 'type' | 'record'> & { rule: string }
export type Heard = {
  feed: Feed
  list: (type: string) => readonly FeedMessage[]
  owed: Owed
  pools: readonly string[]
  eachTurn: () => Promise<void>
}

export async function judgeKind(
  target: Target,
  judge: Judge,
  { rule, type, record }: Kind,
  { feed, list, owed, ...watched }: Heard,
): Promise<void> {
  const [first] = list(type)
  if (first) return judge.pass(rule, `${list(type).length} events ${type}`, shown([first]))
  const seen = `no ${type} in ${Math.round(owed.seconds)} s, while /swaps shows ${owed.swaps} more swaps in these pools`
  const isOwed = owed.swaps >= EVENTS_MISSED_MIN && (!record || owed.seconds >= SILENT_SECONDS_MIN)
  const updates = record && isOwed ? await countUpdates(target, { ...watched, record }) : undefined
  const why = whySilent(feed) ?? (list(type).length > 0 ? 'it came late' : undefined)
  if (why !== undefined) return judge.inconclusive(rule, why)
  const andUpdates =
    updates === undefined ? seen : `${seen}, and ${updates} updates at /pools/{key}/${record}`
  if (isOwed && (updates ?? EVENTS_MISSED_MIN) >= EVENTS_MISSED_MIN)
    judge.fail(rule, andUpdates, feed.evidence())
  else judge.inconclusive(rule, andUpdates)
}

function judgeShape(judge: Judge, events: readonly FeedMessage[]): void {
  const rule = 'ws.event.shape'
  const misshapen = events.filter(({ json }) => check('event', json).length > 0)
  if (events.length === 0) judge.inconclusive(rule, 'no event came')
  judge.that(
    rule,
    misshapen.length === 0,
    `${misshapen.length} of ${events.length} events are malformed`,
    shown(misshapen),
  )
}

function judgeExactValues(judge: Judge, events: readonly FeedMessage[]): void {
  const rule = 'ws.event.exact-values'
  const wrong = events.filter(({ data }) => findInexact(data).length > 0)
  const texts = events.flatMap(({ data }) => exactFields(data).texts).length
  const [first] = wrong
  if (first) {
    const seen = `${wrong.length} of ${events.length} events are inexact, the first: ${findInexact(first.data).join(', ')}`
    judge.fail(rule, seen, shown([first]))
  } else if (texts === 0) judge.inconclusive(rule, 'no event has a financial field')
  else judge.pass(rule, `${texts} financial fields are strings`)
}

export function judgeForeign(
  target: Target,
  judge: Judge,
  sockets: readonly { rooms: readonly string[]; feed: Pick<Feed, 'received'> }[],
): void {
  const rule = 'ws.rooms.only-subscribed'
  const { events: paths } = target.profile.choices
  const state = sockets.map(({ rooms, feed }) => ({ rooms, events: feed.received.filter(isRoomEvent) }))
  const foreign = state.flatMap(({ rooms, events }) =>
    events.filter((message) => isForeign(rooms, message, paths)),
  )
  const assigned = state.flatMap(({ events }) =>
    events.filter((message) => hasSubject(message, paths)),
  ).length
  const why = whyUnassigned(
    target,
    sockets.map(({ feed }) => feed),
  )
  const seen = `${foreign.length} of ${assigned} events of other rooms`
  if (foreign.length > 0) judge.fail(rule, seen, shown(foreign))
  else if (why !== undefined) judge.inconclusive(rule, why)
  else if (assigned < EVENTS_MISSED_MIN)
    judge.inconclusive(rule, `only ${assigned} events came to the checked sockets`)
  else judge.pass(rule, seen)
}

/** A change is identified by its revision. */
function judgeRepeatedChanges(judge: Judge, feed: Feed, changes: readonly FeedMessage[]): void {
  const again = repeats(changes, 'data.revision')
  if (again.length === 0 || hasResynced(feed)) return
  judge.fail(AT_MOST_ONCE, `${again.length} of ${changes.length} changes came again`, shown(again))
}

function hasResynced(feed: Feed): boolean {
  return feed.received.some(({ control }) => control === 'resync_required')
}

function judgeRepeats(
  target: Target,
  judge: Judge,
  { feed, trades }: { feed: Feed; trades: readonly FeedMessage[] },
): void {
  const rule = AT_MOST_ONCE
  const id = findEventPath(target.profile.choices.events.id, 'Trade')
  if (id === null) judge.skip(rule, 'the profile does not state the path of the id in events', 'choice')
  const again = repeats(trades, id)
  if (trades.length < 2) judge.inconclusive(rule, `only ${trades.length} trades came`)
  else if (again.length > 0 && hasResynced(feed)) {
    judge.inconclusive(rule, 'trades came again, after a resync_required')
  }
  judge.that(rule, again.length === 0, `${again.length} of ${trades.length} trades came again`, shown(again))
}

function shown(messages: readonly FeedMessage[]): string[] {
  return messages.slice(0, 3).map(({ text }) => redactor.redactBody(text, 400))
}

/** Longer than any exchange takes to join rooms. */
const JOIN_MS = 2000
const SETTLED_MS = 3000

type Unsynchronized = {
  /** True once enough was seen of this kind, either way, or the socket is closed. */
  isSettled(kind: number): boolean
  /** Kinds of which the witness got several events and this socket none. */
  findSilent(): Promise<readonly number[]>
  feed: Feed
  by: string
}

/** Joins rooms without `synchronize`, which is a request for a control only. `kinds`: rooms of which the witness gets events too. */
async function joinUnsynchronized(
  target: Target,
  { credential, kinds, witness }: { credential: Credential; kinds: readonly string[][]; witness: Feed },
): Promise<Unsynchronized> {
  const feed = await withMiningPaused(async () => {
    const { ticket } = await takeTicket(target, credential)
    const feed = await openFeed(target)
    await authenticatePatiently(feed, ticket)
    for (const room of kinds.flat()) feed.send({ action: 'subscribe', room })
    await feed.settled(SETTLED_MS)
    return feed
  })
  await pause(JOIN_MS)
  const createCounters = (one: Feed) =>
    kinds.map((rooms) => {
      const count = countFromNow(target, one, rooms)
      return () => rooms.reduce((sum, room) => sum + count(room), 0)
    })
  const came = createCounters(feed)
  await settle(target, [witness])
  const due = createCounters(witness)
  const isMissed = (kind: number) => came[kind]?.() === 0 && (due[kind]?.() ?? 0) >= EVENTS_MISSED_MIN
  return {
    feed,
    by: `with a ticket of ${'bearer' in credential ? 'an API token' : 'a session'}`,
    isSettled: (kind) => (came[kind]?.() ?? 0) > 0 || isMissed(kind) || feed.closed() !== undefined,
    async findSilent() {
      const silent = kinds.flatMap((_, kind) => (isMissed(kind) ? [kind] : []))
      if (silent.length === 0 || whySilent(feed) !== undefined) return []
      // Its ticket may have been rejected, which another rule covers.
      return (await withMiningPaused(() => isServed(feed))) ? silent : []
    },
  }
}
