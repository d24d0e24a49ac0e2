import type { Target } from '../../contract/scenario-config.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { EVENTS_MISSED_MIN, eventsOf, whySilent } from '../lib/feed/feed-count.ts'
import { keepServed } from '../lib/feed/keep-served.ts'
import { EVENT_POOL } from '../lib/feed/room.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { pickText } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { told } from '../lib/probe/told.ts'
import { chainGoesOn } from '../lib/time/control.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'

const ROOMS = 16
/** What left the server before the subscriptions may reach a witness later than their answer came here. */
const STRAGGLERS_MS = 1000
const BOUNDS = { blocksMax: 120, waitMsMax: 45_000 }

/** The first events after `synchronized`, beside a witness that had joined before. */
export const syncActive: Probe = {
  rules: ['ws.sync.subscriptions-active'],
  world: 'feed',
  async run(target, judge) {
    const rule = 'ws.sync.subscriptions-active'
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const rooms = (await busyPools(target)).slice(0, ROOMS).map((key) => `pool_stats:${key}`)
    const witness = await openServedFeed(target, credential, rooms)
    const keepWitness = await keepServed(target, { credential, feeds: [witness] })
    const isActive = () => eventsOf(target, witness, rooms).length > 0
    if (!(await chainGoesOn(target, { done: isActive, eachTurn: keepWitness, ...BOUNDS })))
      throw new CannotJudge('the witness got nothing')
    const feed = await openServedFeed(target, credential, rooms)
    if (!hasControl(target)) await pause(STRAGGLERS_MS)
    const before = eventsOf(target, witness, rooms).length
    const owed = () => eventsOf(target, witness, rooms).slice(before)
    await chainGoesOn(target, {
      done: () => owed().length >= EVENTS_MISSED_MIN,
      eachTurn: await keepServed(target, { credential, feeds: [witness, feed] }),
      ...BOUNDS,
    })
    await feed.settled(3000)
    const why = whySilent(feed)
    const looked = owed().slice(0, EVENTS_MISSED_MIN)
    const arrived = arrivedOf(target, looked, eventsOf(target, feed, rooms))
    const seen = `${arrived} of the first ${looked.length} events of the witness arrived`
    if (arrived > 0) judge.pass(rule, seen)
    else if (why !== undefined) judge.inconclusive(rule, why)
    else if (looked.length >= EVENTS_MISSED_MIN) judge.fail(rule, seen, feed.evidence())
    else judge.inconclusive(rule, `the witness got only ${looked.length} events`)
    witness.close()
    feed.close()
  },
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
