// A list of pools is scrolled: one client joins rooms and leaves none, the other leaves those out of view.
import { LIMITS } from '../../contract/limits.ts'
import { advanceMarket, type Follower, follow, leave, readClientCredential } from '../lib/case/follower.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { countFromNow, EVENT_POOL, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import { isServed } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import { CannotJudge, type Judge, requireChoice } from '../lib/verdict/judge.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('scroll') }

const AT_MOST = 'ws.rooms.at-most-32'
const FREED = 'ws.rooms.freed'
const MAX = LIMITS.wsRoomsPerConnection

export function scroll(): Promise<void> {
  return runCase([AT_MOST, FREED], async (judge) => {
    const hoarding = actor('hoarding-client')
    const right = actor('right-client')
    const witness = actor('witness')
    requireChoice(right.profile.choices.events.pool, EVENT_POOL)
    const inView = readNumber('inView')
    await step('two clients show the same list of pools')
    const kinds = ['pool_stats', 'trades', 'ohlcv'] as const
    const rooms = await busyRooms(witness, { count: MAX + inView, kinds })
    if (rooms.length < MAX + inView) throw new CannotJudge(`too few pools: ${rooms.length} rooms`)
    const hoardingly = { target: hoarding, credential: await readClientCredential(hoarding, 0), rooms: [] }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms: [] }
    const hoard = await follow(hoardingly)
    const tidy = await follow(rightly)

    await step('the hoarding client joins the rooms in view, and leaves none')
    for (const room of rooms) hoard.feed.send({ action: 'subscribe', room })
    await isServed(hoard.feed)

    await step('the right client leaves the rooms out of view, and then joins those in view')
    await scrollTidily(tidy, { rooms, inView })

    await step('the market continues; a witness has joined only the rooms now in view')
    const view = rooms.slice(-inView)
    const seen = await follow({ ...rightly, target: witness, rooms: view })
    const own = { hoard: createCounter(hoard, rooms), tidy: createCounter(tidy, view) }
    await settle(witness, [seen.feed])
    const counts = { ...own, seen: createCounter(seen, view) }
    const isRejected = () => {
      const silent = counts.hoard.ofAll(view) === 0 && counts.seen.ofAll(view) >= EVENTS_MISSED_MIN
      const isSeen = view.every((room) => counts.seen.of(room) > 0)
      return isSeen && (silent || counts.hoard.delivering(rooms) > MAX)
    }
    await advanceMarket([hoard, tidy, seen], { done: isRejected, blocksMax: 120, waitMsMax: 90_000 })
    await settle(witness, [hoard.feed, tidy.feed])
    outcome(hoarding, `${counts.hoard.ofAll(view)} events of the ${inView} rooms in view`)
    outcome(right, `${counts.tidy.ofAll(view)} events of the ${inView} rooms in view`)

    judgeHoard(judge, { hoard, view, rooms, counts })
    judgeFreed(judge, { tidy, came: counts.tidy.ofAll(view), witnessed: counts.seen.ofAll(view) })
    for (const follower of [hoard, tidy, seen]) await leave(follower)
  })
}

async function scrollTidily(
  { feed }: Follower,
  { rooms, inView }: { rooms: readonly string[]; inView: number },
): Promise<void> {
  for (let from = 0; from < rooms.length; from += inView) {
    const leaving = from === 0 ? [] : rooms.slice(from - inView, from)
    for (const room of leaving) feed.send({ action: 'unsubscribe', room })
    for (const room of rooms.slice(from, from + inView)) feed.send({ action: 'subscribe', room })
  }
  await isServed(feed)
}

type Counts = ReturnType<typeof createCounter>

function createCounter({ target, feed }: Follower, rooms: readonly string[]) {
  const of = countFromNow(target, feed, rooms)
  return {
    of,
    ofAll: (some: readonly string[]) => some.reduce((sum, room) => sum + of(room), 0),
    delivering: (some: readonly string[]) => some.filter((room) => of(room) > 0).length,
  }
}

function judgeHoard(
  judge: Judge,
  options: {
    hoard: Follower
    view: readonly string[]
    rooms: readonly string[]
    counts: { hoard: Counts; seen: Counts }
  },
): void {
  const { hoard, view, rooms, counts } = options
  const delivering = counts.hoard.delivering(rooms)
  const seen = `${delivering} of ${rooms.length} rooms deliver`
  const closed = hoard.feed.closed()
  if (delivering > MAX) judge.fail(AT_MOST, seen, hoard.feed.evidence())
  else if (closed) judge.pass(AT_MOST, `closed with ${closed.code}`)
  else if (counts.hoard.ofAll(view) > 0 || !view.every((room) => counts.seen.of(room) > 0))
    judge.inconclusive(AT_MOST, `${seen}; the others may have had nothing to deliver`)
  else judge.pass(AT_MOST, `${seen}; the last ${view.length} were silent, while a witness got their events`)
}

function judgeFreed(
  judge: Judge,
  { tidy, came, witnessed }: { tidy: Follower; came: number; witnessed: number },
): void {
  const why = whySilent(tidy.feed)
  if (came > 0) judge.pass(FREED, `${came} events of rooms joined after leaving others`)
  else if (why !== undefined) judge.inconclusive(FREED, why)
  else if (witnessed >= EVENTS_MISSED_MIN)
    judge.fail(FREED, `no event of them, while a witness got ${witnessed}`, tidy.feed.evidence())
  else judge.inconclusive(FREED, `the witness got only ${witnessed} events of them`)
}
