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
import {
  authenticate,
  countControls,
  isServed,
  openServedFeed,
  takeTicket,
  tryFeed,
} from '../lib/feed/served-feed.ts'
import { otherCredential, readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, ifPossible, type Judge, requireChoice } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { openSpreads } from './feed-rooms.ts'

const MAX = LIMITS.wsRoomsPerConnection
const ROOM_KINDS = ['pool_stats', 'trades', 'ohlcv']
const OVER = ROOM_KINDS.length
const BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }
/** Once a socket misses as many of its rooms, the check waits for no others. */
const MISSED_ROOMS = 8

/** Rooms without a pool, which take places too. */
const OTHER_ROOMS = ['pool_launches', 'protocol_config']
/** Joined twice each: more subscriptions than the limit, to fewer rooms. */
const DOUBLED = 24
/** Subscriptions to the balance room of another wallet, which add at most one room, even to an exchange that accepts them. */
const REFUSED = MAX - DOUBLED + 1

/**
 * Counts the rooms that deliver. Two witnesses, of another wallet if possible, share the rooms, well within the limit, and prove
 * that each had events. Events before all sockets were served do not count.
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
    const witnessing = await openWitnesses(target, { credential, rooms })
    const witnesses = witnessing.feeds
    const { within, overs } = await openAll(target, judge, { credential, rooms })
    const spreads = (await ifPossible(() => openSpreads(target, { credential, rooms }))) ?? []
    const feeds = [...within, ...overs, ...spreads].map(({ feed }) => feed)
    const count = (feed: Feed) => countFromNow(target, feed, rooms)
    const withinCounts = within.map((one) => ({ ...one, came: count(one.feed) }))
    const overCounts = overs.map((one) => ({ ...one, came: count(one.feed) }))
    const spreadCounts = spreads.map((one) => ({ ...one, came: count(one.feed) }))
    await settle(target, witnesses)
    const counts = witnesses.map(count)
    const witnessed = (room: string) => counts.reduce((sum, count) => sum + count(room), 0)
    const silent = () => withinCounts.flatMap(listSilent)
    const done = () =>
      withinCounts.some((one) => listMissed(one, witnessed).length >= MISSED_ROOMS) ||
      (rooms.every((room) => witnessed(room) > 0) &&
        silent().every((room) => witnessed(room) >= EVENTS_MISSED_MIN))
    const keeps = await Promise.all([
      keepServed(target, witnessing),
      keepServed(target, { credential, feeds }),
    ])
    const eachTurn = async () => void (await Promise.all(keeps.map((keep) => keep())))
    await advanceChain(target, { done, eachTurn, ...BOUNDS })
    await settle(target, [...witnesses, ...feeds])

    const unassigned = whyUnassigned(target, witnesses)
    judgeSpreads(judge, spreadCounts)
    judgeOver(judge, { overs: overCounts, rooms, witnessed, unassigned })
    judgeWithin(judge, { within: withinCounts, witnessed, unassigned })
    for (const feed of [...witnesses, ...feeds]) feed.close()
  },
}

type Rooms = { credential: Credential; rooms: readonly string[] }
type Within = { feed: Feed; held: readonly string[]; how: string }
/** `max`: how many of the pool rooms it may hold. */
type Over = { feed: Feed; max: number; how: string }

/** The limit is one of each connection: of another wallet, witnesses get their rooms even if the sockets of a wallet share it. */
async function openWitnesses(
  target: Target,
  { credential, rooms }: Rooms,
): Promise<{ credential: Credential; feeds: Feed[] }> {
  const half = countHalf(rooms)
  const open = async (by: Credential) => {
    const parts = [rooms.slice(0, half), rooms.slice(half)]
    return { credential: by, feeds: await Promise.all(parts.map((part) => openServedFeed(target, by, part))) }
  }
  const other = await otherCredential(target)
  return (other && (await ifPossible(() => open(other)))) ?? (await open(credential))
}

function countHalf(rooms: readonly string[]): number {
  return Math.ceil(rooms.length / 2)
}

async function openAll(
  target: Target,
  judge: Judge,
  { credential, rooms }: Rooms,
): Promise<{ within: Within[]; overs: Over[] }> {
  const held = rooms.slice(0, MAX)
  const doubled = rooms.slice(0, DOUBLED)
  const other = target.wallets.at(-1)?.address
  const forbidden = other === undefined ? [] : Array<string>(REFUSED).fill(`balances:${other}`)
  const [first, twice, refused] = await Promise.all([
    // The busiest last: a room that is rejected is missed soon.
    tryFeed(target, credential, [...held].reverse()),
    tryFeed(
      target,
      credential,
      doubled.flatMap((room) => [room, room]),
    ),
    ifPossible(() => tryFeed(target, credential, [...forbidden, ...doubled])),
  ])
  const sockets = [first, twice, refused].flatMap((one) => (one ? [one.feed] : []))
  const full = first.served ? first.feed : await openFull(target, judge, { credential, held, sockets })
  const within = [{ feed: full, held, how: `of ${MAX} rooms` }]
  if (first.served && twice.served)
    within.push({ feed: twice.feed, held: doubled, how: `of ${DOUBLED} rooms joined twice` })
  if (first.served && refused?.served)
    within.push({
      feed: refused.feed,
      held: doubled,
      how: `of ${DOUBLED} rooms after rejected subscriptions`,
    })
  const options = { credential, rooms }
  const openers = [openOver, openBurst, openRenewed, openLeft, openOthers]
  const overs = await Promise.all(openers.map((open) => open(target, options)))
  return { within, overs }
}

/**
 * Opens a socket with as many rooms as are allowed, once the other sockets are closed: they may have slowed down the server, or
 * used up the sockets of a wallet. Fails the rule if it is not served, while sockets with half the rooms are.
 */
async function openFull(
  target: Target,
  judge: Judge,
  {
    credential,
    held,
    sockets,
  }: { credential: Credential; held: readonly string[]; sockets: readonly Feed[] },
): Promise<Feed> {
  for (const feed of sockets) feed.close()
  const half = held.slice(0, countHalf(held))
  const mustServeHalf = async () => {
    const witness = await openServedFeed(target, credential, half)
    witness.close()
    await witness.until(() => false, CLOSE_MS)
  }
  await mustServeHalf()
  const { feed, served } = await tryFeed(target, credential, [...held].reverse())
  if (served || (await feed.until(() => countControls(feed, 'synchronized') > 0, SLOW_MS))) return feed
  feed.close()
  await mustServeHalf()
  const seen = `synchronize gets no response after ${held.length} subscriptions, but does after ${half.length}`
  judge.fail('ws.rooms.32-deliver', seen, feed.evidence())
  throw new CannotJudge(`no socket with ${held.length} rooms to subscribe to one more`)
}

const CLOSE_MS = 1000
/** For a server that takes long to join many rooms. */
const SLOW_MS = 15_000

/** Opens a socket that subscribes to all rooms in one burst, so that the limit applies to unanswered frames too. */
async function openBurst(target: Target, { credential, rooms }: Rooms): Promise<Over> {
  const feed = await openServedFeed(target, credential, [])
  await join(feed, rooms)
  return { feed, max: MAX, how: 'in one burst' }
}

/** Opens a socket that subscribes to too many rooms, twice each. A close counts as a rejection, so it may return closed. */
async function openOver(target: Target, { credential, rooms }: Rooms): Promise<Over> {
  const feed = await openServedFeed(target, credential, rooms.slice(0, MAX))
  for (let round = 0; round < 2; round++) await join(feed, rooms.slice(MAX))
  return { feed, max: MAX, how: 'one after the other' }
}

/** Like openOver, with a renewal in between, which frees no place. */
async function openRenewed(target: Target, { credential, rooms }: Rooms): Promise<Over> {
  const feed = await openServedFeed(target, credential, rooms.slice(0, MAX))
  const { ticket } = await takeTicket(target, credential)
  await withMiningPaused(() => authenticate(feed, ticket))
  await join(feed, rooms.slice(MAX))
  return { feed, max: MAX, how: 'after a renewal' }
}

/** Leaves one room twice, and rooms that were never joined. Together this frees one place. */
async function openLeft(target: Target, { credential, rooms }: Rooms): Promise<Over> {
  const feed = await openServedFeed(target, credential, rooms.slice(0, MAX))
  const [first, over] = [rooms.slice(0, 1), rooms.slice(MAX)]
  for (const room of [...first, ...first, ...over]) feed.send({ action: 'unsubscribe', room })
  await join(feed, [...first, ...over])
  return { feed, max: MAX, how: 'after leaves of rooms that were not joined' }
}

/** Joins the other rooms first, and last again, for an exchange that drops the oldest room for a new one. */
async function openOthers(target: Target, { credential, rooms }: Rooms): Promise<Over> {
  const feed = await openServedFeed(target, credential, OTHER_ROOMS)
  await join(feed, [...rooms, ...OTHER_ROOMS])
  return { feed, max: MAX - OTHER_ROOMS.length, how: `beside ${OTHER_ROOMS.join(' and ')}` }
}

async function join(feed: Feed, rooms: readonly string[]): Promise<void> {
  for (const room of rooms) feed.send({ action: 'subscribe', room })
  await withMiningPaused(() => isServed(feed))
}

type Count = (room: string) => number

/** `unassigned`: why the events of a witness cannot be counted. */
type Witnessed = { witnessed: Count; unassigned: string | undefined }

function judgeOver(
  judge: Judge,
  options: Witnessed & { overs: readonly (Over & { came: Count })[]; rooms: readonly string[] },
): void {
  const { overs, rooms, witnessed, unassigned } = options
  const rule = 'ws.rooms.at-most-32'
  const unseen = rooms.filter((room) => witnessed(room) === 0)
  const delivered = overs.map(({ feed, came, max, how }) => {
    const count = rooms.filter((room) => came(room) > 0).length
    const closed = feed.closed()
    const isExcess = count > max
    const seen = `${count} of ${rooms.length} rooms deliver`
    return { feed, isExcess, seen: `${how}: ${closed && !isExcess ? `closed with ${closed.code}` : seen}` }
  })
  const excess = delivered.find(({ isExcess }) => isExcess)
  if (excess) judge.fail(rule, excess.seen, excess.feed.evidence())
  else if (unseen.length > 0)
    judge.inconclusive(rule, unassigned ?? `${unseen.length} rooms had nothing to deliver`)
  else judge.pass(rule, delivered.map(({ seen }) => seen).join('; '))
}

/** Fails if every socket with one room too many gets events of all its busy rooms. The quiet rooms need none. */
function judgeSpreads(
  judge: Judge,
  spreads: readonly { feed: Feed; busy: readonly string[]; came: Count }[],
): void {
  const [first] = spreads
  const isOver = spreads.every(({ busy, came }) => busy.every((room) => came(room) > 0))
  const seen = `of ${MAX + 1} rooms, those at each place deliver, the last one included`
  if (first && isOver) judge.fail('ws.rooms.at-most-32', seen, first.feed.evidence())
}

type WithinCount = Within & { came: Count }

function listSilent({ held, came }: WithinCount): string[] {
  return held.filter((room) => came(room) === 0)
}

/** Rooms that owe events: the witness got several of each, and the socket could have got them. */
function listMissed(one: WithinCount, witnessed: Count): string[] {
  if (whySilent(one.feed) !== undefined) return []
  return listSilent(one).filter((room) => witnessed(room) >= EVENTS_MISSED_MIN)
}

/** Only the first socket decides whether enough was seen: the others can only fail. */
function judgeWithin(
  judge: Judge,
  { within, witnessed, unassigned }: Witnessed & { within: readonly WithinCount[] },
): void {
  const rule = 'ws.rooms.32-deliver'
  const sockets = within.map((one) => {
    const [silent, missed] = [listSilent(one), listMissed(one, witnessed)]
    return { ...one, silent, why: whySilent(one.feed), missed }
  })
  const failing = sockets.find(({ missed }) => missed.length > 0)
  const [full] = sockets
  if (failing) {
    const { missed, how, feed } = failing
    judge.fail(rule, `${missed.length} ${how} are silent, the first is ${missed[0]}`, feed.evidence())
  } else if (full === undefined || full.silent.length === 0) judge.pass(rule, `all of ${MAX} rooms deliver`)
  else if (full.why !== undefined) judge.inconclusive(rule, full.why)
  else
    judge.inconclusive(rule, unassigned ?? `${full.silent.length} of ${MAX} rooms had too little to deliver`)
}
