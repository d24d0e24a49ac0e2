// For a while the gateway closes each new socket: one client reconnects at once, the other backs off.
import { backoffMs } from '../../client/retry-wait.ts'
import {
  type Following,
  followOrFail,
  leave,
  loseSockets,
  readClientCredential,
} from '../lib/case/follower.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { vuRandom } from '../lib/duties/k6-tools.ts'
import { type Feed, openFeedOnce } from '../lib/feed/feed.ts'
import { authenticate, isServed, takeTicket } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { CannotJudge } from '../lib/verdict/judge.ts'
import { elapse, mustHaveControl } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('away') }

const SERVED = 'ws.auth.ticket'
/** As in the fault plan. */
const CLOSED_AFTER_MS = 500
const RESTART_CODE = 1012

export function away(): Promise<void> {
  return runCase([SERVED], async (judge) => {
    const looping = actor('looping-client')
    const right = actor('right-client')
    mustHaveControl(right, 'a restarting gateway')
    await step('two clients open a socket each')
    const loopingly = { target: looping, credential: await readClientCredential(looping, 0), rooms: [] }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms: [] }
    const before = [await followOrFail(loopingly, judge, SERVED), await followOrFail(rightly, judge, SERVED)]

    await step('the gateway restarts repeatedly: it closes each socket 500 ms after it opened')
    await loseSockets(right, before)
    await beginFaults()

    await step('the looping client reconnects at once, repeatedly')
    for (let attempt = 0; attempt < readNumber('attempts'); attempt++) {
      const feed = await openFeedOnce(looping)
      await elapse(looping, CLOSED_AFTER_MS)
      if (!feed.closed()) await leave({ feed })
    }
    outcome(
      looping,
      `${readNumber('attempts')} sockets in ${(readNumber('attempts') * CLOSED_AFTER_MS) / 1000} s`,
    )

    await step('the right client waits before each attempt, with backoff and jitter')
    await beginFaults()
    const { feed, attempts, served } = await comeBack(rightly)
    outcome(right, `${served ? 'served' : 'not served'} with attempt ${attempts}`)
    judge.that(SERVED, served, served ? 'served' : 'not served with a fresh ticket', feed.evidence())
    await leave({ feed })
  })
}

/** Returns the first attempt whose socket the gateway does not close. */
async function comeBack({
  target,
  credential,
}: Following): Promise<{ feed: Feed; attempts: number; served: boolean }> {
  for (let attempt = 0; attempt < readNumber('attempts'); attempt++) {
    await elapse(target, backoffMs({ attempt, random: vuRandom, baseMs: 1000, capMs: 30_000 }))
    const { ticket } = await takeTicket(target, credential)
    const feed = await openFeedOnce(target)
    await authenticate(feed, ticket)
    await elapse(target, CLOSED_AFTER_MS)
    const served = await isServed(feed).catch(() => false)
    if (feed.closed()?.code !== RESTART_CODE) return { feed, attempts: attempt + 1, served }
  }
  throw new CannotJudge('the gateway did not recover')
}
