import type { Target } from '../../contract/scenario-config.ts'
import { countFromNow, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { authenticatePatiently, isServed, openServedFeed, takeTicket } from '../lib/feed/served-feed.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import type { Credential } from '../lib/requests/request.ts'
import { requireChoice } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'

const POOLS = 10
const BOUNDS = { blocksMax: 20, waitMsMax: 15_000 }

/** A socket whose rooms must last as long as its connection. */
export type LastingRooms = {
  renew(): Promise<void>
  /** Reports rooms that ended although the connection was renewed, and closes the socket. */
  end(): Promise<void>
}

/** Joins the rooms of trades, once. */
export async function joinLasting(target: Target, credential: Credential): Promise<LastingRooms> {
  requireChoice(target.profile.choices.events.pool, 'the path of the pool in events')
  const rooms = (await busyPools(target)).slice(0, POOLS).map((key) => `trades:${key}`)
  const feed = await openServedFeed(target, credential, rooms)
  const createCounter = (one: Feed) => {
    const count = countFromNow(target, one, rooms)
    return () => rooms.reduce((sum, room) => sum + count(room), 0)
  }
  return {
    async renew() {
      await authenticatePatiently(feed, (await takeTicket(target, credential)).ticket)
    },
    async end() {
      const witness = await openServedFeed(target, credential, rooms)
      const came = createCounter(feed)
      const from = feed.received.length
      await settle([witness])
      const due = createCounter(witness)
      await advanceChain(target, { done: () => came() > 0 || due() >= EVENTS_MISSED_MIN, ...BOUNDS })
      await settle([witness, feed])
      if (came() === 0 && due() >= EVENTS_MISSED_MIN && (await isServed(feed)) && !whySilent(feed, from)) {
        const seen = `silent more than a minute after the join: trades, of which a witness got ${due()} events`
        noteProblem('ws.ticket.renewal-keeps-rooms', seen, () => feed.evidence().join(' '))
      }
      witness.close()
      feed.close()
    },
  }
}
