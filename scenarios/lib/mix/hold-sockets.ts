import { Counter } from 'k6/metrics'
import type { MixClient } from '../../../contract/mix.ts'
import type { Wallet } from '../../../contract/profile.ts'
import type { OfferedSockets, Target } from '../../../contract/scenario-config.ts'
import { FEED_SOCKETS_DUE, FEED_SOCKETS_HELD } from '../../../contract/series.ts'
import type { Followed } from '../client/follow-feed.ts'
import type { Client } from '../client/open-client.ts'
import type { KnownClock } from '../duties/server-clock.ts'
import { pause } from '../time/pause.ts'
import { clock, countClient, memory, openMixClient, orUndefined } from './mix-client.ts'
import { followMixFeed } from './mix-feed.ts'
import { mixRequest, mixRooms } from './mix-requests.ts'
import { isInItsSecond, listSockets, nextCheckMs } from './socket-share.ts'
import { createStorm, type Storm } from './storm.ts'

const due = new Counter(FEED_SOCKETS_DUE)
const held = new Counter(FEED_SOCKETS_HELD)

/** The sockets of one VU: they share its client, and each follows rooms of its own. */
type Holder = {
  target: Target
  client: MixClient
  wallets: readonly Wallet[]
  /** Number of this VU, from 0, over all load generators. */
  vu: number
  offered: OfferedSockets
  /** Start of the load, epoch ms. */
  startMs: number
  seconds: number
  random: () => number
  clockBefore: KnownClock | null
}

/**
 * Opens each socket at its time, and once all are due counts every second how many are served. A socket that ends is opened again
 * as a correct client does it. Errors of the target never end the load.
 */
export async function holdSockets(holder: Holder): Promise<void> {
  const { client: mixed, vu, offered, startMs, seconds, clockBefore } = holder
  if (clockBefore !== null) clock.learn(clockBefore)
  const numbers = listSockets(vu, offered)
  const feeds: Followed[] = []
  const untilMs = startMs + seconds * 1000
  const client = await openMixClient({ ...holder, number: vu }).catch(orUndefined)
  const storm =
    offered.storm === undefined
      ? undefined
      : createStorm({ storm: offered.storm, startMs, sockets: numbers.length })
  const raging = storm?.run()
  const counting = countServed({ holder, feeds, sockets: numbers.length, untilMs })
  if (client === undefined) {
    countClient('sign-in-failed')
    await raging
    return await counting
  }
  try {
    if (mixed.feed !== null) await learnPools(client, holder)
    for (const { atSeconds } of numbers) {
      await pause(Math.max(0, startMs + atSeconds * 1000 - Date.now()))
      if (Date.now() >= untilMs) break
      const feed = openOne(client, holder, storm)
      if (feed !== undefined) feeds.push(feed)
    }
    await raging
    await counting
    countClient('completed')
  } finally {
    // At once: the client leaves its sockets one after another.
    await Promise.all(feeds.map((feed) => feed.close()))
    await client.leave()
  }
}

async function learnPools(client: Client, { target, random }: Holder): Promise<void> {
  const { choices } = target.profile
  const spec = mixRequest('explore-page', { choices, memory, pool: undefined, random })
  if (spec !== undefined) memory.learn((await client.send(spec).catch(orUndefined))?.json)
}

function openOne(
  client: Client,
  { client: mixed, random }: Holder,
  storm: Storm | undefined,
): Followed | undefined {
  const { feed } = mixed
  if (feed === null) return undefined
  const { address } = client
  const rooms = mixRooms({ counts: feed.rooms, memory, skew: mixed.poolSkew, address, random })
  // Sockets are the load: a reader of REST data would add another.
  return followMixFeed(client, { feed, rooms, clock, refetch: async () => {}, ...storm?.add() })
}

/** In the middle of each second, so that a check that is late still counts for its second. */
async function countServed(options: {
  holder: Holder
  feeds: readonly Followed[]
  sockets: number
  untilMs: number
}): Promise<void> {
  const { holder, feeds, sockets, untilMs } = options
  const fromMs = holder.startMs + holder.offered.dueAfterSeconds * 1000
  for (let atMs = nextCheckMs(fromMs); atMs < untilMs; atMs += 1000) {
    await pause(Math.max(0, atMs - Date.now()))
    // A VU that was late for a check has missed it for its due sockets too.
    if (!isInItsSecond(atMs, Date.now())) continue
    due.add(sockets)
    held.add(feeds.filter((feed) => feed.isServed()).length)
  }
  await pause(Math.max(0, untilMs - Date.now()))
}
