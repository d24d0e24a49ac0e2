import type { Target } from '../../contract/scenario-config.ts'
import { EVENTS_MISSED_MIN, isRoomEvent, settle } from '../lib/feed/events.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  isServedWithWitness,
  openServedFeed,
  throwIfRestarted,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { holdPasses, type Judge, reportFailuresOnly, unlessCannot } from '../lib/verdict/judge.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'
import { describeRefusal } from './feed-access.ts'
import { changeConfig } from './feed-config-change.ts'

const RULE = 'ws.auth.required'
/** A room without a pool, which an exchange may consider public. */
const CONFIG = 'protocol_config'
/** As many as one connection may hold, so that some have events within the 5 s in which the socket is open. */
const ROOMS = 32
const KINDS = ['pool_stats', 'trades'] as const
/** Socket after socket, since each may be closed at its deadline to authenticate. */
const SOCKETS_MAX = 12
const TRIES_MS = 60_000
const WINDOW = { blocksMax: 3, waitMsMax: 10_000 }
/** Sockets that were closed at their subscriptions: as many show that the exchange rejects them that way. */
const REJECTED_MIN = 2
const REJECTED_MS = 1500
const HANDLED_MS = 3000

/** Joins busy rooms without authenticating: neither a response nor an event may arrive, while a witness gets both. */
export const strangers: Probe = {
  rules: [RULE],
  world: 'feed',
  async run(target, judge) {
    const credential = await readCredential(target)
    const rooms = await busyRooms(target, { count: ROOMS, kinds: KINDS })
    const candles = await busyRooms(target, { count: ROOMS, kinds: ['ohlcv'] })
    const { witness, asking, served } = await withMiningPaused(async () => {
      const witness = await openServedFeed(target, credential, rooms)
      // On its own socket: the exchange may close one at its first frame.
      const asking = await openFeed(target)
      const served = await isServedWithWitness(asking, { target, credential })
      asking.close()
      return { witness, asking, served }
    })
    const eachTurn = await keepServed(target, { credential, feeds: [witness] })
    if (served === true || countEvents(asking) > 0)
      judge.fail(RULE, `${countEvents(asking)} events, and synchronize gets a response`, asking.evidence())
    else if (served === undefined) judge.inconclusive(RULE, UNRESPONSIVE, asking.evidence())
    else {
      const { held, release } = holdPasses(judge)
      // On sockets of their own: rooms that need authentication may close a socket.
      const listen = (judge: Judge, some: readonly string[]) =>
        judgeListeners(target, judge, { rooms: some, witness, asking, eachTurn })
      const added = reportFailuresOnly(judge)
      await Promise.all([
        listen(held, rooms),
        ...[[CONFIG], candles].map((some) => unlessCannot(() => listen(added, some))),
      ])
      release()
    }
    witness.close()
  },
}

/** Counts for a witness only what it gets while the socket that should get nothing is open. */
async function judgeListeners(
  target: Target,
  judge: Judge,
  options: { rooms: readonly string[]; witness: Feed; asking: Feed; eachTurn: () => Promise<void> },
): Promise<void> {
  const refusal = describeRefusal(options.asking)
  const untilMs = Date.now() + TRIES_MS
  let [witnessed, rejected, sockets] = [0, 0, 0]
  while (sockets < SOCKETS_MAX && Date.now() < untilMs) {
    const { listening, wasRejected, due } = await listen(target, options)
    sockets++
    const came = countEvents(listening)
    if (came > 0) return judge.fail(RULE, `${came} events without authentication`, listening.evidence())
    throwIfRestarted(listening)
    witnessed += due
    rejected = wasRejected ? rejected + 1 : 0
    if (rejected >= REJECTED_MIN)
      return judge.pass(RULE, `${refusal}; each subscription closes the socket`, listening.evidence())
    if (witnessed >= EVENTS_MISSED_MIN)
      return judge.pass(RULE, `${refusal}; no event while a witness in the same rooms got ${witnessed}`)
  }
  judge.inconclusive(RULE, `the witness got only ${witnessed} events while ${sockets} sockets were open`)
}

/** `due`: events that the witness got after the subscriptions were handled and before the socket was closed. */
async function listen(
  target: Target,
  { rooms, witness, eachTurn }: { rooms: readonly string[]; witness: Feed; eachTurn: () => Promise<void> },
): Promise<{ listening: Feed; wasRejected: boolean; due: number }> {
  const { listening, subscribedAtMs } = await withMiningPaused(async () => {
    const listening = await openFeed(target)
    const subscribedAtMs = Date.now()
    for (const room of rooms) listening.send({ action: 'subscribe', room })
    await Promise.all([listening, witness].map((feed) => feed.settled(HANDLED_MS)))
    return { listening, subscribedAtMs }
  })
  const before = countEvents(witness)
  if (rooms.includes(CONFIG)) await changeConfig(target)
  let due = 0
  let closedAtMs: number | undefined
  await advanceChain(target, {
    done() {
      if (listening.closed()) closedAtMs ??= Date.now()
      else due = countEvents(witness) - before
      return closedAtMs !== undefined || due >= EVENTS_MISSED_MIN || countEvents(listening) > 0
    },
    eachTurn,
    ...WINDOW,
  })
  await settle([listening])
  listening.close()
  const wasRejected = closedAtMs !== undefined && closedAtMs - subscribedAtMs < REJECTED_MS
  return { listening, wasRejected, due }
}

function countEvents(feed: Feed): number {
  return feed.received.filter(isRoomEvent).length
}
