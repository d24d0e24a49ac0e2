import type { FeedMessage } from '../lib/feed/feed.ts'
import { EVENTS_MISSED_MIN, eventsOf, whySilent } from '../lib/feed/feed-count.ts'
import { EVENT_POOL } from '../lib/feed/room.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { redactor } from '../lib/secrets/redact.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import { told } from '../lib/verdict/told.ts'
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
