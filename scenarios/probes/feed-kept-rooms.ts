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
import { awaitOwed } from '../lib/market/await-owed.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { listPools } from '../lib/market/swap-watch.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import type { Credential } from '../lib/requests/request.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { CannotJudge, type Judge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { judgeKind, KINDS } from './feed-kinds.ts'

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

const SOME_POOLS = 5

export async function joinSome(target: Target, feed: Feed): Promise<void> {
  const pools = (await busyPools(target)).slice(0, SOME_POOLS)
  for (const room of ['protocol_config', ...pools.map((key) => `trades:${key}`)])
    feed.send({ action: 'subscribe', room })
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

/** Three rooms each stays within the room limit. */
const POOLS_MAX = 10
/** Until every node and every replica knows a pool. */
const KNOWN = { blocksMax: 40, waitMsMax: 20_000 }
/** With less time after that, nothing could be decided. */
const WATCH_MS_MIN = 40_000

/** The rules are those of another probe. */
const noting: Judge = {
  fail: (rule, observed, evidence = []) =>
    noteProblem(rule, `in pools that were launched during the run: ${observed}`, () => evidence.join(' ')),
  pass: () => {},
  inconclusive: () => {},
  skip: () => {},
  that: () => {},
}

/**
 * Reports kinds of rooms that deliver nothing in pools that were launched while the gateway runs, although REST shows that
 * events are due.
 */
export async function reportSilentLaunched(
  target: Target,
  { credential, keys, untilMs }: { credential: Credential; keys: readonly string[]; untilMs: number },
): Promise<void> {
  if (untilMs - Date.now() < KNOWN.waitMsMax + WATCH_MS_MIN) return
  const pools = [...new Set(keys)].slice(-POOLS_MAX)
  await advanceChain(target, { ...KNOWN, done: () => false })
  const rooms = pools.flatMap((key) => KINDS.map(({ room }) => `${room}:${key}`))
  const feed = await openServedFeed(target, credential, rooms)
  try {
    const list = (type: string) => feed.received.filter((message) => message.type === type)
    const eachTurn = await keepServed(target, { credential, feeds: [feed], rejoins: rooms })
    const owed = await awaitOwed(target, {
      done: () => feed.closed() !== undefined || KINDS.every(({ type }) => list(type).length > 0),
      isOwing: (swap) => listPools(swap).some((key) => pools.includes(key)),
      credential,
      eachTurn,
      untilMs,
    })
    await settle(target, [feed])
    const heard = { feed, list, owed, pools, eachTurn }
    await Promise.all(KINDS.map((kind) => judgeKind(target, noting, kind, heard)))
  } finally {
    feed.close()
  }
}
