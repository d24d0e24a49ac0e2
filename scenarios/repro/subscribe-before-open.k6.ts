// A client subscribes as soon as its socket is open, before it sends its ticket.

import { advanceMarket, follow, heard, leave, readClientCredential } from '../lib/case/follower.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { openFeed } from '../lib/feed/feed.ts'
import {
  authenticate,
  isServed,
  isServedWithWitness,
  takeTicket,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('subscribe') }

const REQUIRED = 'ws.auth.required'

export function subscribe(): Promise<void> {
  return runCase([REQUIRED], async (judge) => {
    const hasty = actor('hasty-client')
    const right = actor('right-client')
    await step('the right client sends its ticket first, then joins its rooms, then synchronizes')
    const rooms = await busyRooms(right, { count: readNumber('rooms') })
    const hastily = { target: hasty, credential: await readClientCredential(hasty, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const live = await follow(rightly)

    await step('the hasty client joins its rooms as soon as the socket is open')
    const { ticket } = await takeTicket(hasty, hastily.credential)
    const early = { ...hastily, feed: await openFeed(hasty) }
    for (const room of rooms) early.feed.send({ action: 'subscribe', room })
    const responded = await isServedWithWitness(early.feed, rightly)
    const closed = early.feed.closed()
    const seen = responded ? 'gets a response' : closed ? `is closed with ${closed.code}` : 'gets no response'

    await step('then it sends its ticket')
    await authenticate(early.feed, ticket)
    const served = !closed && (await isServed(early.feed))

    await step('the market continues')
    const went = await advanceMarket(served ? [early, live] : [live], {
      done: () => heard(live).length >= readNumber('events'),
    })
    const events = heard(early).length
    outcome(
      hasty,
      `${seen} before its ticket; ${served ? 'served' : 'not served'} after it, and gets ${events} events`,
    )
    outcome(right, `gets ${heard(live).length} events`)
    if (responded || events > 0)
      judge.fail(REQUIRED, `${seen}, and then ${events} events`, early.feed.evidence())
    else if (responded === undefined) judge.inconclusive(REQUIRED, UNRESPONSIVE)
    else if (went) judge.pass(REQUIRED, `${seen}, and then no event of its rooms`)
    else judge.inconclusive(REQUIRED, 'the right client got no events either')
    for (const follower of [early, live]) await leave(follower)
  })
}
