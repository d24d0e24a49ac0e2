import type { Target } from '../../contract/scenario-config.ts'
import { EVENT_POOL, EVENTS_MISSED_MIN, eventsOf, whySilent } from '../lib/feed/events.ts'
import type { Feed, FeedMessage } from '../lib/feed/feed.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { redactor } from '../lib/redact.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge, told } from '../lib/verdict/cannot.ts'
import { chainGoesOn } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const ROOMS = 20
/** What the witness has got by then is no more on its way to anybody. */
const STRAGGLERS_MS = 1000
/** Pools with missed trades whose next trade is waited for: to wait for all of them would take too long. */
const POOLS_BACK = 5
const BOUNDS = { blocksMax: 100, waitMsMax: 60_000 }

/** What a witness gets while a socket is away; then the same rooms again. */
export const notReplayed: Probe = {
  rules: ['ws.delivery.not-replayed'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.delivery.not-replayed'
    told(target.profile.choices.events.pool, EVENT_POOL)
    const path = told(target.profile.choices.events.id, 'where an event has its id')
    const idOf = ({ json }: FeedMessage) => pickText(json, path)
    const credential = await readCredential(target)
    const rooms = (await busyPools(target)).slice(0, ROOMS).map((key) => `trades:${key}`)
    const [witness, before] = await Promise.all([
      openServedFeed(target, credential, rooms),
      openServedFeed(target, credential, rooms),
    ])
    before.close()
    await before.until(() => false, 5000)
    const eachTurn = await keepServed(target, { credential, feeds: [witness] })
    const witnessed = () => eventsOf(target, witness, rooms).filter((message) => idOf(message) !== undefined)
    const already = witnessed().length
    const done = () => witnessed().length >= already + EVENTS_MISSED_MIN
    if (!(await chainGoesOn(target, { done, eachTurn, ...BOUNDS })))
      throw new CannotJudge('the witness got too little while the socket was away')
    const missed = new Set(witnessed().slice(already).map(idOf))
    await pause(STRAGGLERS_MS)

    const after = await openServedFeed(target, credential, rooms)
    const live = () => eventsOf(target, after, rooms).filter((message) => !missed.has(idOf(message)))
    const keep = await keepServed(target, { credential, feeds: [witness, after] })
    // What was missed in a room may come with its next trade, or at the next synchronize.
    const poolOf = ({ json }: FeedMessage) => pickText(json, target.profile.choices.events.pool)
    const missedPools = new Set(
      witnessed()
        .filter((message) => missed.has(idOf(message)))
        .map(poolOf),
    )
    const isBack = () => {
      const livePools = new Set(live().map(poolOf))
      const back = [...missedPools].filter((pool) => livePools.has(pool))
      return back.length >= Math.min(POOLS_BACK, missedPools.size)
    }
    await chainGoesOn(target, { done: isBack, eachTurn: keep, ...BOUNDS })
    after.send({ action: 'synchronize' })
    await after.settled(3000)
    const replayed = eventsOf(target, after, rooms).filter((message) => missed.has(idOf(message)))
    const shown = replayed.slice(0, 3).map(({ text }) => redactor.redactBody(text, 400))
    const seen = `${replayed.length} of ${missed.size} trades that came meanwhile, ${live().length} others`
    if (replayed.length > 0) judge.fail(rule, seen, shown)
    else if (live().length > 0) judge.pass(rule, seen)
    else judge.inconclusive(rule, whySilent(after) ?? 'nothing came after the reconnect')
    witness.close()
    after.close()
  },
}

const POOLS = 12
const KINDS = ['pool_stats', 'trades', 'ohlcv']
/** Of those, the ones that a busy pool has events of all the time: a candle may come no sooner than at its end. */
const STEADY = 2
/** What left the server before the subscriptions may reach a witness later than their answer came here. */
const SYNC_STRAGGLERS_MS = 1000
const SYNC_BOUNDS = { blocksMax: 120, waitMsMax: 30_000 }

/** The first events of each kind after `synchronized`, on one socket after another, beside a witness that had joined before. */
export const syncActive: Probe = {
  rules: ['ws.sync.subscriptions-active'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.sync.subscriptions-active'
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const pools = (await busyPools(target)).slice(0, POOLS)
    const kinds = KINDS.map((kind) => pools.map((key) => `${kind}:${key}`))
    const witness = await openServedFeed(target, credential, kinds.flat())
    const keepWitness = await keepServed(target, { credential, feeds: [witness] })
    const isActive = () =>
      kinds.slice(0, STEADY).every((rooms) => eventsOf(target, witness, rooms).length > 0)
    if (!(await chainGoesOn(target, { done: isActive, eachTurn: keepWitness, ...SYNC_BOUNDS })))
      throw new CannotJudge('the witness did not get events of each kind')
    const isWorthWaiting = (rooms: readonly string[]) =>
      hasControl(target) || eventsOf(target, witness, rooms).length > 0
    const steady = kinds.filter((rooms, kind) => kind < STEADY || isWorthWaiting(rooms))

    const [arrived, owed] = [KINDS.map(() => 0), KINDS.map(() => 0)]
    const evidence: string[] = []
    for (let socket = 0; socket < EVENTS_MISSED_MIN; socket++) {
      const { feed, came } = await lookAtFirst(target, { credential, witness, kinds, steady })
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
    witness.close()
    const missing = KINDS.filter((_, kind) => owed[kind] === EVENTS_MISSED_MIN && arrived[kind] === 0)
    const seen = `the first event of the witness after synchronized arrives: ${KINDS.map((kind, index) => `${kind} ${arrived[index]} times`).join(', ')}`
    judge.that(rule, missing.length === 0, seen, missing.length === 0 ? [] : evidence)
  },
}

/** Whether the first event of each kind that the witness gets once a new socket is synchronized comes to that socket too. */
async function lookAtFirst(
  target: Target,
  {
    credential,
    witness,
    kinds,
    steady,
  }: { credential: Credential; witness: Feed; kinds: readonly string[][]; steady: readonly string[][] },
): Promise<{ feed: Feed; came: (number | undefined)[] | undefined }> {
  const feed = await openServedFeed(target, credential, kinds.flat())
  if (!hasControl(target)) await pause(SYNC_STRAGGLERS_MS)
  const before = new Map<readonly string[], number>(
    kinds.map((rooms) => [rooms, eventsOf(target, witness, rooms).length]),
  )
  const firstOf = (rooms: readonly string[]) =>
    eventsOf(target, witness, rooms).slice(before.get(rooms)).slice(0, 1)
  const hasFirsts = (some: readonly (readonly string[])[]) => some.every((rooms) => firstOf(rooms).length > 0)
  await chainGoesOn(target, {
    done: () => hasFirsts(steady),
    eachTurn: await keepServed(target, { credential, feeds: [witness, feed] }),
    ...SYNC_BOUNDS,
  })
  await feed.settled(3000)
  if (!hasFirsts(kinds.slice(0, STEADY))) return { feed, came: undefined }
  const came = kinds.map((rooms) => {
    const first = firstOf(rooms)
    return first.length === 0 ? undefined : arrivedOf(target, first, eventsOf(target, feed, rooms))
  })
  return { feed, came }
}

/** How many of those came here too: by their ids where they have some, else any event will do. */
export function arrivedOf(
  target: Target,
  looked: readonly FeedMessage[],
  received: readonly FeedMessage[],
): number {
  const idOf = ({ json }: FeedMessage) => pickText(json, target.profile.choices.events.id)
  const ids = new Set(received.map(idOf))
  const isSure = looked.every((message) => idOf(message) !== undefined)
  if (!isSure) return Math.min(looked.length, received.length)
  return looked.filter((message) => ids.has(idOf(message))).length
}
