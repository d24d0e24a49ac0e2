// A ticket lasts 60 seconds: one client lets it expire, the other renews it.

import { follow, readClientCredential } from '../lib/case/follower.ts'
import { actor, outcome, runCase, step } from '../lib/case/run-case.ts'
import { authenticate, takeTicket } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeEnd, judgeRenewal } from '../probes/feed-ticket-checks.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('minute') }

/** 10 s before and 15 s after the ticket expires: slack for clocks and networks. */
const RENEWAL_MS = 50_000
const LATE_MS = 75_000

export function minute(): Promise<void> {
  return runCase(['ws.ticket.ends-connection', 'ws.ticket.renewal'], async (judge) => {
    const forgetful = actor('forgetful-client')
    const right = actor('right-client')
    await step('two clients authenticate a socket each')
    const credential = await readClientCredential(right, 1)
    const expired = await follow({
      target: forgetful,
      credential: await readClientCredential(forgetful, 0),
      rooms: [],
    })
    const renewed = await follow({ target: right, credential, rooms: [] })

    await step('well before its ticket expires, the right client takes a fresh one and sends it')
    const renewedAtMs = await elapse(right, RENEWAL_MS)
    const { ticket } = await takeTicket(right, credential)
    await authenticate(renewed.feed, ticket)

    await step('the first tickets have expired')
    await elapse(right, LATE_MS - renewedAtMs)
    await judgeEnd(judge, expired.feed)
    const end = expired.feed.closed()
    outcome(forgetful, end ? `closed with ${end.code}` : 'still open')
    await judgeRenewal(right, judge, { credential, renewed: renewed.feed, renewedAtMs })
    outcome(right, renewed.feed.received.at(-1)?.control === 'synchronized' ? 'still served' : 'not served')
  })
}
