import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { countFromNow, EVENTS_MISSED_MIN, whySilent } from '../lib/feed/feed-count.ts'
import { EVENT_POOL } from '../lib/feed/room.ts'
import { isServed, openServedFeed, tryFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { clockHeld } from '../lib/time/held-clock.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { told } from '../lib/verdict/told.ts'
import { chainGoesOn } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const MAX = LIMITS.wsRoomsPerConnection
const ROOM_KINDS = ['pool_stats', 'trades', 'ohlcv']
/** One of each kind. */
const OVER = ROOM_KINDS.length
const BOUNDS = { blocksMax: 120, waitMsMax: 90_000 }

/**
 * How many rooms deliver. Two witnesses share the rooms between them, well inside the limit: they prove that each room had
 * something to deliver. What came before all four sockets were served does not count.
 */
export const roomLimit: Probe = {
  rules: ['ws.rooms.at-most-32', 'ws.rooms.32-deliver'],
  world: 'feed',
  async run(target, judge) {
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = await busyPools(target)
    const rooms = pools.flatMap((key) => ROOM_KINDS.map((kind) => `${kind}:${key}`)).slice(0, MAX + OVER)
    if (rooms.length <= MAX) throw new CannotJudge(`${pools.length} pools make only ${rooms.length} rooms`)
    const { witnesses, full, over } = await openAll(target, judge, { credential, rooms })
    const feeds = [...witnesses, full, over]
    const counts = witnesses.map((feed) => countFromNow(target, feed, rooms))
    const witnessed = (room: string) => counts.reduce((sum, count) => sum + count(room), 0)
    const [fullCount, overCount] = [countFromNow(target, full, rooms), countFromNow(target, over, rooms)]
    const silent = () => rooms.slice(0, MAX).filter((room) => fullCount(room) === 0)
    const done = () =>
      rooms.every((room) => witnessed(room) > 0) &&
      silent().every((room) => witnessed(room) >= EVENTS_MISSED_MIN)
    const eachTurn = await keepServed(target, { credential, feeds })
    await chainGoesOn(target, { done, eachTurn, ...BOUNDS })
    await Promise.all(feeds.map((feed) => feed.settled(3000)))

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
    const seen = `synchronize is not answered after ${MAX} subscriptions, as it is after ${half}`
    judge.fail('ws.rooms.32-deliver', seen, full.evidence())
    throw new CannotJudge(`no socket with ${MAX} rooms to ask for one more`)
  }
  return { witnesses, full, over: await openOver(target, { credential, rooms }) }
}

/** A socket that asks for too many rooms, and for each of those again. A close is a refusal too, so it may be closed when it comes back. */
async function openOver(
  target: Target,
  { credential, rooms }: { credential: Credential; rooms: readonly string[] },
): Promise<Feed> {
  const over = await openServedFeed(target, credential, rooms.slice(0, MAX))
  for (let round = 0; round < 2; round++) {
    for (const room of rooms.slice(MAX)) over.send({ action: 'subscribe', room })
    await clockHeld(() => isServed(over))
  }
  return over
}

type Count = (room: string) => number

function judgeOver(
  judge: Judge,
  {
    over,
    rooms,
    witnessed,
    overCount,
  }: { over: Feed; rooms: readonly string[]; witnessed: Count; overCount: Count },
): void {
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
    judge.fail(rule, `${missed.length} of ${MAX} rooms silent, the first ${missed[0]}`, full.evidence())
  } else judge.inconclusive(rule, `${silent.length} of ${MAX} rooms had too little to deliver`)
}
