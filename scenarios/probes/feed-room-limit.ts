import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { countFromNow, EVENT_POOL, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { isServed, openServedFeed, tryFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, type Judge, requireChoice } from '../lib/verdict/judge.ts'
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
    const { witnesses, full, overs } = await openAll(target, judge, { credential, rooms })
    const feeds = [...witnesses, full, ...overs]
    const fullCount = countFromNow(target, full, rooms)
    const overCounts = overs.map((over) => ({ over, overCount: countFromNow(target, over, rooms) }))
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

    judgeOver(judge, { overs: overCounts, rooms, witnessed })
    judgeFull(judge, { full, silent: silent(), witnessed })
    for (const feed of feeds) feed.close()
  },
}

async function openAll(
  target: Target,
  judge: Judge,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<{ witnesses: Feed[]; full: Feed; overs: Feed[] }> {
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
  const options = { credential, rooms }
  return { witnesses, full, overs: [await openOver(target, options), await openBurst(target, options)] }
}

/** Opens a socket that subscribes to all rooms in one burst, so that the limit applies to unanswered frames too. */
async function openBurst(
  target: Target,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<Feed> {
  const burst = await openServedFeed(target, credential, [])
  for (const room of rooms) burst.send({ action: 'subscribe', room })
  await withMiningPaused(() => isServed(burst))
  return burst
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
  options: { overs: readonly { over: Feed; overCount: Count }[]; rooms: readonly string[]; witnessed: Count },
): void {
  const { overs, rooms, witnessed } = options
  const rule = 'ws.rooms.at-most-32'
  const unseen = rooms.filter((room) => witnessed(room) === 0)
  const delivered = overs.map(({ over, overCount }) => {
    const count = rooms.filter((room) => overCount(room) > 0).length
    const closed = over.closed()
    const seen = `${count} of ${rooms.length} rooms deliver`
    return { over, count, seen: closed && count <= MAX ? `closed with ${closed.code}` : seen }
  })
  const excess = delivered.find(({ count }) => count > MAX)
  if (excess) judge.fail(rule, excess.seen, excess.over.evidence())
  else if (unseen.length > 0) judge.inconclusive(rule, `${unseen.length} rooms had nothing to deliver`)
  else judge.pass(rule, delivered.map(({ seen }) => seen).join('; in one burst: '))
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
