import { findEventPath } from '../../contract/room-events.ts'
import type { Target } from '../../contract/scenario-config.ts'
import {
  EVENT_POOL,
  EVENTS_MISSED_MIN,
  listEvents,
  readField,
  settle,
  whySilent,
  whyUnassigned,
} from '../lib/feed/events.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { isServed, openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { redactor } from '../lib/redact.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, requireChoice } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { changeConfig } from './feed-config-change.ts'

const ROOMS = 20
const CONFIG = 'protocol_config'
/** After this, events that the witness got are no longer in transit to another socket. */
const STRAGGLERS_MS = 1000
/** How many pools with missed trades to wait for: waiting for all takes too long. */
const POOLS_BACK = 5
const BOUNDS = { blocksMax: 100, waitMsMax: 60_000 }

/** A witness receives events while a socket is away; then the socket rejoins the same rooms. */
export const notReplayed: Probe = {
  rules: ['ws.delivery.not-replayed'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.delivery.not-replayed'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const path = requireChoice(
      findEventPath(target.profile.choices.events.id, 'Trade'),
      'the path of the id in events',
    )
    const readId = ({ json }: FeedMessage) => pickText(json, path)
    const credential = await readCredential(target)
    const rooms = (await busyPools(target)).slice(0, ROOMS).map((key) => `trades:${key}`)
    const open = () => openServedFeed(target, credential, [...rooms, CONFIG])
    const [witness, before, rejoined] = await Promise.all([open(), open(), open()])
    before.close()
    // Stays open, out of the rooms.
    for (const room of rooms) rejoined.send({ action: 'unsubscribe', room })
    await withMiningPaused(() => isServed(rejoined))
    await before.until(() => false, 5000)
    await changeConfig(target)
    const eachTurn = await keepServed(target, { credential, feeds: [witness, rejoined] })
    const witnessed = () =>
      listEvents(target, witness, rooms).filter((message) => readId(message) !== undefined)
    const already = witnessed().length
    const done = () => witnessed().length >= already + EVENTS_MISSED_MIN
    if (!(await advanceChain(target, { done, eachTurn, ...BOUNDS })))
      throw new CannotJudge(
        whyUnassigned(target, [witness]) ?? 'the witness got too little while the socket was away',
      )
    const missed = new Set(witnessed().slice(already).map(readId))
    const missedChanges = readTexts(target, witness, CONFIG)
    await pause(STRAGGLERS_MS)

    // An event sent before the leave may have arrived until now.
    const rejoinedFrom = rejoined.received.length
    for (const room of rooms) rejoined.send({ action: 'subscribe', room })
    const after = await open()
    const live = () => listEvents(target, after, rooms).filter((message) => !missed.has(readId(message)))
    const keep = await keepServed(target, { credential, feeds: [witness, rejoined, after] })
    // Missed events may be replayed with the room's next trade, or at the next synchronize.
    const readPool = (message: FeedMessage) => readField(message, target.profile.choices.events.pool)
    const missedPools = new Set(
      witnessed()
        .filter((message) => missed.has(readId(message)))
        .map(readPool),
    )
    const isBack = () => {
      const livePools = new Set(live().map(readPool))
      const back = [...missedPools].filter((pool) => livePools.has(pool))
      return back.length >= Math.min(POOLS_BACK, missedPools.size)
    }
    await advanceChain(target, { done: isBack, eachTurn: keep, ...BOUNDS })
    after.send({ action: 'synchronize' })
    rejoined.send({ action: 'synchronize' })
    await settle(target, [after, rejoined])
    const onRejoin = { ...rejoined, received: rejoined.received.slice(rejoinedFrom) }
    const replayed = [
      ...[after, onRejoin].flatMap((feed) =>
        listEvents(target, feed, rooms).filter((message) => missed.has(readId(message))),
      ),
      ...(await findReplayed(target, {
        ...{ credential, witness, room: CONFIG },
        joined: { after, missed: missedChanges },
      })),
    ]
    const shown = replayed.slice(0, 3).map(({ text }) => redactor.redactBody(text, 400))
    const seen = `${replayed.length} of ${missed.size + missedChanges.size} events missed while away, ${live().length} other trades arrived`
    if (replayed.length > 0) judge.fail(rule, seen, shown)
    else if (live().length > 0) judge.pass(rule, seen)
    else judge.inconclusive(rule, whySilent(after) ?? 'nothing came after the reconnect')
    for (const feed of [witness, rejoined, after]) feed.close()
  },
}

function readTexts(target: Target, feed: Feed, room: string): Set<string> {
  return new Set(listEvents(target, feed, [room]).map(({ text }) => text))
}

/** A new socket, and what a witness had got more than a second before it joined the room. */
type Joined = { after: Feed; missed: Set<string> }

/**
 * A change names its revision, and a launch its pool, so no two are alike, unless the witness gets it again. A socket may get
 * one from a node that is behind that of the witness, so two in turn have to show it.
 */
export async function findReplayed(
  target: Target,
  options: { credential: Credential; witness: Feed; room: string; joined?: Joined },
): Promise<FeedMessage[]> {
  const { credential, witness, room } = options
  // A later event, or the end of the witness, would hide what is sent again.
  const join = () =>
    withMiningPaused(async (): Promise<Joined> => {
      const missed = readTexts(target, witness, room)
      await pause(STRAGGLERS_MS)
      const after = await openServedFeed(target, credential, [room])
      await settle(target, [after, witness])
      after.close()
      return { after, missed }
    })
  const isOnce = (text: string) =>
    listEvents(target, witness, [room]).filter((message) => message.text === text).length === 1
  let { after, missed } = options.joined ?? (await join())
  let wasReplayed = false
  for (let socket = 0; ; socket++) {
    const came = listEvents(target, after, [room])
    const replayed = came.filter(({ text }) => missed.has(text) && isOnce(text))
    if (replayed.length > 0 && wasReplayed) return replayed
    if (came.length === 0 || socket === EVENTS_MISSED_MIN) return []
    wasReplayed = replayed.length > 0
    const next = await join()
    after = next.after
    missed = next.missed
  }
}

/** Three rooms each, well within the 32 of a connection: a server may close a socket that subscribes to more. */
const POOLS = 10
const KINDS = ['pool_stats', 'trades', 'ohlcv']
/** The kinds that a busy pool sends all the time: a candle may only arrive when it closes. */
const STEADY = 2
const SYNC_BOUNDS = { blocksMax: 120, waitMsMax: 30_000 }

/** The first events of each kind after `synchronized`, on successive sockets, next to a witness that joined earlier. */
export const syncActive: Probe = {
  rules: ['ws.sync.subscriptions-active'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.sync.subscriptions-active'
    requireChoice(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, POOLS)
    const kinds = KINDS.map((kind) => pools.map((key) => `${kind}:${key}`))
    const witness = await openServedFeed(target, credential, kinds.flat())
    const keepWitness = await keepServed(target, { credential, feeds: [witness] })
    const isActive = () =>
      kinds.slice(0, STEADY).every((rooms) => listEvents(target, witness, rooms).length > 0)
    if (!(await advanceChain(target, { done: isActive, eachTurn: keepWitness, ...SYNC_BOUNDS })))
      throw new CannotJudge(whyUnassigned(target, [witness]) ?? 'the witness did not get events of each kind')
    const isWorthWaiting = (rooms: readonly string[]) =>
      hasControl(target) || listEvents(target, witness, rooms).length > 0
    const steady = kinds.filter((rooms, kind) => kind < STEADY || isWorthWaiting(rooms))

    const joined = await countFirsts(target, { credential, witness, kinds, steady, rejoins: false })
    if (joined.isMissing) {
      witness.close()
      return judge.fail(rule, joined.seen, joined.evidence)
    }
    const keptKinds = kinds.slice(0, STEADY)
    const rejoined = await countFirsts(target, {
      ...{ credential, witness, kinds: keptKinds, steady: keptKinds },
      rejoins: true,
    })
    witness.close()
    if (rejoined.isMissing) judge.fail(rule, rejoined.seen, rejoined.evidence)
    else judge.pass(rule, `${joined.seen}; ${rejoined.seen}`)
  },
}

type Firsts = {
  credential: Credential
  witness: Feed
  kinds: readonly string[][]
  /** The kinds whose events are worth waiting for. */
  steady: readonly string[][]
  /** Leaves the rooms and joins them again before it counts. */
  rejoins: boolean
}

/** Counts, on successive sockets, how often the first event of each kind arrives. */
async function countFirsts(
  target: Target,
  options: Firsts,
): Promise<{ isMissing: boolean; seen: string; evidence: string[] }> {
  const names = KINDS.slice(0, options.kinds.length)
  const [arrived, owed] = [names.map(() => 0), names.map(() => 0)]
  const evidence: string[] = []
  for (let socket = 0; socket < EVENTS_MISSED_MIN; socket++) {
    const { feed, came } = await readFirst(target, options)
    const why = whySilent(feed)
    feed.close()
    if (came === undefined) throw new CannotJudge('the witness got too little')
    if (why !== undefined) throw new CannotJudge(why)
    for (const [kind, count] of came.entries()) {
      if (count === undefined) continue
      arrived[kind] = (arrived[kind] ?? 0) + count
      owed[kind] = (owed[kind] ?? 0) + 1
    }
    evidence.push(...feed.evidence())
    if (arrived.every((count, kind) => count > 0 || owed[kind] === 0)) break
  }
  const isMissing = names.some((_, kind) => owed[kind] === EVENTS_MISSED_MIN && arrived[kind] === 0)
  const counts = names.map((kind, index) => `${kind} ${arrived[index]} times`).join(', ')
  const when = options.rejoins ? 'rooms are left and joined again' : 'synchronized'
  return { isMissing, seen: `the first event of the witness after ${when} arrives: ${counts}`, evidence }
}

/** Leaves the rooms, lets the leave take effect, and joins them again. */
async function rejoin(feed: Feed, rooms: readonly string[]): Promise<void> {
  const mustBeServed = async (when: string) => {
    if (!(await withMiningPaused(() => isServed(feed))))
      throw new CannotJudge(`the socket is not served ${when}`)
  }
  for (const room of rooms) feed.send({ action: 'unsubscribe', room })
  await mustBeServed('after the leave')
  await pause(REJOIN_MS)
  for (const room of rooms) feed.send({ action: 'subscribe', room })
  await mustBeServed('after it rejoined')
}

/** Longer than any exchange takes to leave a room. */
const REJOIN_MS = 1500

/** Checks that the witness's first event of each kind after a new socket synchronizes reaches that socket too. */
async function readFirst(
  target: Target,
  { credential, witness, kinds, steady, rejoins }: Firsts,
): Promise<{ feed: Feed; came: (number | undefined)[] | undefined }> {
  const feed = await openServedFeed(target, credential, kinds.flat())
  if (rejoins) await rejoin(feed, kinds.flat())
  await settle(target, [witness])
  const before = new Map<readonly string[], number>(
    kinds.map((rooms) => [rooms, listEvents(target, witness, rooms).length]),
  )
  const takeFirst = (rooms: readonly string[]) =>
    listEvents(target, witness, rooms).slice(before.get(rooms)).slice(0, 1)
  const hasFirsts = (some: readonly (readonly string[])[]) =>
    some.every((rooms) => takeFirst(rooms).length > 0)
  await advanceChain(target, {
    done: () => hasFirsts(steady),
    eachTurn: await keepServed(target, { credential, feeds: [witness, feed] }),
    ...SYNC_BOUNDS,
  })
  await settle(target, [feed, witness])
  if (!hasFirsts(kinds.slice(0, STEADY))) return { feed, came: undefined }
  const came = kinds.map((rooms) => {
    const first = takeFirst(rooms)
    if (first.length === 0) return undefined
    return countArrived(target, first, listEvents(target, feed, rooms), listEvents(target, witness, rooms))
  })
  return { feed, came }
}

/**
 * Counts the witness's events that arrived here: by id if they have one, else any event counts. Any counts too if the sockets got
 * events, but share no id: an exchange may make the ids for each delivery.
 */
export function countArrived(
  target: Target,
  state: readonly FeedMessage[],
  received: readonly FeedMessage[],
  witnessed: readonly FeedMessage[] = state,
): number {
  const readId = (message: FeedMessage) => readField(message, target.profile.choices.events.id)
  const ids = new Set(received.map(readId))
  const isSure = state.every((message) => readId(message) !== undefined)
  const sharesIds = received.length === 0 || witnessed.some((message) => ids.has(readId(message)))
  if (!isSure || !sharesIds) return Math.min(state.length, received.length)
  return state.filter((message) => ids.has(readId(message))).length
}
