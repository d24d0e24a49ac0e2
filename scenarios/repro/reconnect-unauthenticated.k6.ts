// A client reconnects and subscribes, but does not authenticate the new socket.

import {
  advanceMarket,
  follow,
  heard,
  leave,
  loseSockets,
  readClientCredential,
  refetch,
} from '../lib/case/follower.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { openFeed } from '../lib/feed/feed.ts'
import {
  authenticatePatiently,
  isServedWithWitness,
  takeTicket,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import { elapse } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('comeBack') }

const REQUIRED = 'ws.auth.required'
const DEADLINE = 'ws.auth.deadline-5s'
/** Twice the deadline for authentication. */
const LATE_MS = 10_000

export function comeBack(): Promise<void> {
  return runCase([REQUIRED, DEADLINE], async (judge) => {
    const forgetful = actor('forgetful-client')
    const right = actor('right-client')
    await step('two clients follow the same busy pools')
    const rooms = await busyRooms(right, { count: readNumber('rooms') })
    const forgetfully = { target: forgetful, credential: await readClientCredential(forgetful, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const before = [await follow(forgetfully), await follow(rightly)]

    await step('both lose their sockets')
    await loseSockets(right, before)

    await step('the forgetful client opens another socket, and subscribes immediately')
    const stranger = { ...forgetfully, feed: await openFeed(forgetful) }
    for (const room of rooms) stranger.feed.send({ action: 'subscribe', room })
    await stranger.feed.settled(3000)

    await step('the right client authenticates first, with a fresh ticket, and then joins its rooms')
    const live = await follow(rightly)
    await refetch(rightly)

    await step('the market continues')
    const went = await advanceMarket([live], { done: () => heard(live).length >= readNumber('events') })
    const responded = await isServedWithWitness(stranger.feed, rightly)
    const events = heard(stranger).length
    const seen = `${events} events, synchronize gets ${responded ? 'a' : 'no'} response`
    outcome(forgetful, seen)
    outcome(right, `${heard(live).length} events`)
    if (responded || events > 0) judge.fail(REQUIRED, seen, stranger.feed.evidence())
    else if (responded === undefined) judge.inconclusive(REQUIRED, UNRESPONSIVE)
    else if (went) judge.pass(REQUIRED, `${seen}, while the right client got ${heard(live).length} events`)
    else judge.inconclusive(REQUIRED, 'the right client got no events either')
    for (const follower of [stranger, live]) await leave(follower)

    await step('the forgetful client tries again, and sends its ticket after ten seconds')
    const tardy = { ...forgetfully, feed: await openFeed(forgetful) }
    await elapse(forgetful, LATE_MS)
    await authenticatePatiently(tardy.feed, (await takeTicket(forgetful, forgetfully.credential)).ticket)
    const served = await isServedWithWitness(tardy.feed, rightly)
    const closed = tardy.feed.closed()
    const end = served ? 'served' : closed ? `closed with ${closed.code}` : 'not served'
    outcome(forgetful, `${end}, ten seconds after it opened the socket`)
    if (served === undefined) judge.inconclusive(DEADLINE, UNRESPONSIVE)
    judge.that(DEADLINE, !served, end, tardy.feed.evidence())
    await leave(tardy)
  })
}
