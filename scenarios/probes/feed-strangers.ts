import type { Target } from '../../contract/scenario-config.ts'
import { EVENTS_MISSED_MIN, isRoomEvent, settle } from '../lib/feed/events.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  authenticatePatiently,
  isServed,
  isServedWithWitness,
  openServedFeed,
  takeTicket,
  throwIfRestarted,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { alteredSecrets } from '../lib/identity/altered-secrets.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'
import { holdPasses, ifPossible, type Judge, reportFailuresOnly, unlessCannot } from '../lib/verdict/judge.ts'
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
/** A server may check a ticket with another service, and reject it only then. */
const CHECKED_MS = 1000

/** `token`: a ticket that was never issued, sent before the subscriptions. */
type Stranger = { rooms: readonly string[]; token?: string }

/**
 * Joins busy rooms without authenticating, and with a made-up ticket: neither a response nor an event may arrive, while a witness
 * gets both.
 */
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
      const listen = (judge: Judge, stranger: Stranger) =>
        judgeListeners(target, judge, { ...stranger, witness, asking, eachTurn })
      const added = reportFailuresOnly(judge)
      const token = await ifPossible(() => makeUpTicket(target, credential))
      const others: Stranger[] = [{ rooms: [CONFIG] }, { rooms: candles }]
      if (token !== undefined) others.push({ rooms, token })
      await Promise.all([
        listen(held, { rooms }),
        ...others.map((other) => unlessCannot(() => listen(added, other))),
      ])
      release()
    }
    witness.close()
  },
}

/** A real ticket with another character. */
async function makeUpTicket(target: Target, credential: Credential): Promise<string | undefined> {
  const { ticket } = await takeTicket(target, credential)
  return alteredSecrets(ticket).find(({ how }) => how === 'another character in its last half')?.secret
}

/** Counts for a witness only what it gets while the socket that should get nothing is open. */
async function judgeListeners(
  target: Target,
  judge: Judge,
  options: Stranger & { witness: Feed; asking: Feed; eachTurn: () => Promise<void> },
): Promise<void> {
  const refusal = describeRefusal(options.asking)
  const untilMs = Date.now() + TRIES_MS
  let [witnessed, rejected, sockets] = [0, 0, 0]
  while (sockets < SOCKETS_MAX && Date.now() < untilMs) {
    const { listening, wasRejected, due } = await listen(target, options)
    sockets++
    const came = countEvents(listening)
    if (came > 0) {
      const { token } = options
      if (token !== undefined && (await isTaken(target, token))) return
      const how = token === undefined ? 'without authentication' : 'with a ticket that was never issued'
      return judge.fail(RULE, `${came} events ${how}`, listening.evidence())
    }
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

/** True if it authenticates another socket, which another rule reports. */
async function isTaken(target: Target, token: string): Promise<boolean> {
  const fresh = await openFeed(target)
  await authenticatePatiently(fresh, token)
  const served = await isServed(fresh)
  fresh.close()
  return served
}

/** `due`: events that the witness got after the subscriptions were handled and before the socket was closed. */
async function listen(
  target: Target,
  { rooms, token, witness, eachTurn }: Stranger & { witness: Feed; eachTurn: () => Promise<void> },
): Promise<{ listening: Feed; wasRejected: boolean; due: number }> {
  const { listening, subscribedAtMs } = await withMiningPaused(async () => {
    const listening = await openFeed(target)
    const subscribedAtMs = Date.now()
    const join = () => {
      for (const room of rooms) listening.send({ action: 'subscribe', room })
    }
    if (token !== undefined) listening.send({ action: 'authenticate', token })
    join()
    if (token !== undefined) {
      await listening.until(() => false, CHECKED_MS)
      join()
    }
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
  await settle(target, [listening])
  listening.close()
  const wasRejected = closedAtMs !== undefined && closedAtMs - subscribedAtMs < REJECTED_MS
  return { listening, wasRejected, due }
}

function countEvents(feed: Feed): number {
  return feed.received.filter(isRoomEvent).length
}
