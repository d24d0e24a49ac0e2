// A deployment closes every socket with 1012; a hasty and a right client reconnect.
import { backoffMs } from '../../client/retry-wait.ts'
import {
  advanceMarket,
  type Follower,
  type Following,
  follow,
  heard,
  leave,
  readClientCredential,
  refetch,
} from '../lib/case/follower.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { vuRandom } from '../lib/duties/k6-tools.ts'
import { openFeed } from '../lib/feed/feed.ts'
import { authenticate, isServed, takeTicket, tryFeed } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import { CannotJudge, type Judge } from '../lib/verdict/judge.ts'
import { control, elapse, mustHaveControl } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('deployment') }

const RESTORES = 'ws.restart.restores'
const TRIES_MAX = 4
const CLOSE_MS = 5000

export function deployment(): Promise<void> {
  return runCase([RESTORES], async (judge) => {
    const hasty = actor('hasty-client')
    const right = actor('right-client')
    mustHaveControl(right, 'a deployment')
    await step('two clients follow the same busy pools')
    const rooms = await busyRooms(right, { count: readNumber('rooms') })
    const hastily = { target: hasty, credential: await readClientCredential(hasty, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const { ticket } = await takeTicket(hasty, hastily.credential)
    const feed = await openFeed(hasty)
    await authenticate(feed, ticket)
    for (const room of rooms) feed.send({ action: 'subscribe', room })
    const before = await follow(rightly)

    await step('a deployment closes every socket')
    await control(right, '/gateway/restart')
    const feeds = [feed, before.feed]
    // The control API may respond before the closes have passed a proxy.
    await Promise.all(feeds.map((one) => one.until(() => false, CLOSE_MS)))
    const codes = feeds.map((one) => one.closed()?.code)
    if (codes.includes(undefined)) throw new CannotJudge('the restart did not close every socket')
    outcome(right, `closed with ${codes.join(' and ')}`)

    await step('the hasty client reconnects at once, repeatedly, with its old ticket')
    await hammer(hastily, ticket)

    await step('the right client waits with backoff and jitter, and reconnects with a fresh ticket')
    const after = await comeBack(rightly, judge)
    await refetch(rightly)
    await step('the market continues')
    const went = await advanceMarket([after], { done: () => heard(after).length > 0 })
    outcome(right, `reconnected, with ${heard(after).length} events of its rooms`)
    if (went) judge.pass(RESTORES, 'reconnected with its rooms')
    else judge.inconclusive(RESTORES, 'no events to deliver after the reconnect', after.feed.evidence())
    await leave(after)
  })
}

async function hammer({ target, rooms }: Following, ticket: string): Promise<void> {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const feed = await openFeed(target)
    await authenticate(feed, ticket)
    for (const room of rooms) feed.send({ action: 'subscribe', room })
    const served = await isServed(feed)
    await leave({ feed })
    if (served)
      return outcome(
        target,
        `served after ${attempt} attempts without a pause: this exchange accepts a ticket twice`,
      )
  }
  outcome(target, `${TRIES_MAX} attempts without a pause, none served: its ticket is used up`)
}

async function comeBack(following: Following, judge: Judge): Promise<Follower> {
  const { target, credential, rooms } = following
  for (let attempt = 0; ; attempt++) {
    await elapse(target, backoffMs({ attempt, random: vuRandom, baseMs: 1000 }))
    const { feed, served } = await tryFeed(target, credential, rooms)
    if (served) return { ...following, feed }
    feed.close()
    if (attempt + 1 < TRIES_MAX) continue
    judge.fail(RESTORES, `not served after ${TRIES_MAX} reconnects`, feed.evidence())
    throw new CannotJudge('sockets are no longer served')
  }
}
