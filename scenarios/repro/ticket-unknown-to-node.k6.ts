// A gateway node learns of tickets late: one client gives up at the first rejection, the other retries with a
// fresh one.
import type { Target } from '../../contract/scenario-config.ts'
import { followOrFail, leave, readClientCredential } from '../lib/case/follower.ts'
import { actor, beginFaults, endFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { openFeed } from '../lib/feed/feed.ts'
import { authenticate, isServed, takeTicket } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import type { Credential } from '../lib/requests/request.ts'
import { elapse } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('tickets') }

const RULE = 'ws.auth.ticket'
/** First backoff; doubles with each attempt. */
const FIRST_WAIT_MS = 1000

export function tickets(): Promise<void> {
  return runCase([RULE], async (judge) => {
    const hasty = actor('hasty-client')
    const right = actor('right-client')
    await step('a node does not know new tickets yet')
    await beginFaults()
    const served = await connect(hasty, await readClientCredential(hasty, 0))
    outcome(hasty, served ? 'is served' : 'assumes that its credential was revoked, and stops')

    await step('the right client waits, and reconnects with a fresh ticket')
    const tries = await connectWithBackoff(right, await readClientCredential(right, 1))
    outcome(right, tries === undefined ? 'is not served' : `is served on socket ${tries}`)

    await step('the nodes know all tickets again: the exchange itself is checked')
    await endFaults()
    const credential = await readClientCredential(right, 1)
    const follower = await followOrFail({ target: right, credential, rooms: [] }, judge, RULE)
    judge.pass(RULE, 'a fresh ticket is served')
    await leave(follower)
  })
}

async function connect(target: Target, credential: Credential): Promise<boolean> {
  const { ticket } = await takeTicket(target, credential)
  const feed = await openFeed(target)
  await authenticate(feed, ticket)
  const served = feed.closed() === undefined && (await isServed(feed))
  await leave({ feed })
  return served
}

/** Returns the number of sockets until one is served, or undefined. */
async function connectWithBackoff(target: Target, credential: Credential): Promise<number | undefined> {
  for (let tries = 1; tries <= readNumber('tries'); tries++) {
    if (await connect(target, credential)) return tries
    await elapse(target, FIRST_WAIT_MS * 2 ** (tries - 1))
  }
  return undefined
}
