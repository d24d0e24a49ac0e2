import type { Target } from '../../contract/scenario-config.ts'
import { countFromNow, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  authenticate,
  authenticatePatiently,
  isServed,
  openServedFeed,
  takeTicket,
} from '../lib/feed/served-feed.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import type { Credential } from '../lib/requests/request.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

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
      await authenticate(feed, (await takeTicket(target, credential)).ticket)
    },
    async end() {
      const witness = await openServedFeed(target, credential, rooms)
      const came = createCounter(feed)
      const from = feed.received.length
      await settle(target, [witness])
      const due = createCounter(witness)
      await advanceChain(target, { done: () => came() > 0 || due() >= EVENTS_MISSED_MIN, ...BOUNDS })
      await settle(target, [witness, feed])
      if (came() === 0 && due() >= EVENTS_MISSED_MIN && (await isServed(feed)) && !whySilent(feed, from)) {
        const seen = `silent more than a minute after the join: trades, of which a witness got ${due()} events`
        noteProblem('ws.ticket.renewal-keeps-rooms', seen, () => feed.evidence().join(' '))
      }
      witness.close()
      feed.close()
    },
  }
}

/** Watches whether a room with seldom events outlasts a renewal, for as long as another probe listens. */
type RenewedRoom = {
  /** True once the renewed socket got an event, or missed enough of them. */
  isSettled(): boolean
  eachTurn(): Promise<void>
  /** Reports a room that was lost, and closes the sockets. */
  end(): Promise<void>
}

/** Renews a socket that joined the room. Its witness joins the room again after each renewal. */
export async function watchRenewedRoom(
  target: Target,
  { credential, room, type }: { credential: Credential; room: string; type: string },
): Promise<RenewedRoom> {
  const [witness, renewed] = await Promise.all([
    openServedFeed(target, credential, [room]),
    openServedFeed(target, credential, [room]),
  ])
  const { ticket } = await takeTicket(target, credential)
  await withMiningPaused(() => authenticatePatiently(renewed, ticket))
  if (!(await withMiningPaused(() => isServed(renewed))))
    throw new CannotJudge('the socket is not served after the renewal')
  const keeps = [
    await keepServed(target, { credential, feeds: [renewed] }),
    await keepServed(target, { credential, feeds: [witness], rejoins: [room] }),
  ]
  const count = ({ received }: Feed) => received.filter((message) => message.type === type).length
  const isLost = () => count(renewed) === 0 && count(witness) >= EVENTS_MISSED_MIN
  return {
    isSettled: () => count(renewed) > 0 || isLost() || [witness, renewed].some((feed) => feed.closed()),
    eachTurn: () => unlessCannot(async () => void (await Promise.all(keeps.map((keep) => keep())))),
    async end() {
      await settle(target, [witness, renewed])
      if (isLost() && whySilent(renewed) === undefined) {
        const seen = `silent after the renewal: ${room}, of which a witness got ${count(witness)} events`
        noteProblem('ws.ticket.renewal-keeps-rooms', seen, () => renewed.evidence().join(' '))
      }
      witness.close()
      renewed.close()
    },
  }
}
