// The gateway is away for a while: one client tries again at once, the other waits longer each time.
import type { Target } from '../../contract/scenario-config.ts'
import { actor, numberOf, outcome, step } from '../lib/actor.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { backoffMs } from '../lib/client/retry-wait.ts'
import { elapse, mustHaveControl } from '../lib/control.ts'
import { type Feed, openFeedOnce } from '../lib/feed.ts'
import { credentialOfClient, type Following, followOrAccuse, lose } from '../lib/follower.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { beginFaults, play } from '../lib/play.ts'
import { authenticate, isServed, takeTicket } from '../lib/served-feed.ts'
import { vuRandom } from '../lib/vu-random.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('away') }

const SERVED = 'ws.auth.ticket'

export function away(): Promise<void> {
  return play([SERVED], async (judge) => {
    const looping = actor('looping-client')
    const right = actor('right-client')
    mustHaveControl(right, 'to keep the gateway away')
    await step('two clients hold a socket each')
    const loopingly = { target: looping, credential: await credentialOfClient(looping, 0), rooms: [] }
    const rightly = { target: right, credential: await credentialOfClient(right, 1), rooms: [] }
    const before = [
      await followOrAccuse(loopingly, judge, SERVED),
      await followOrAccuse(rightly, judge, SERVED),
    ]

    await step('both lose them; the gateway is away, and refuses every handshake')
    for (const follower of before) await lose(follower)
    await beginFaults()

    await step('the looping client tries again at once, and again')
    let refused = 0
    for (let attempt = 0; attempt < numberOf('attempts'); attempt++) {
      const feed = await tryToOpen(looping)
      if (feed) await lose({ feed })
      else refused++
    }
    outcome(looping, `${refused} attempts refused in no time`)

    await step('the right client waits before each attempt, longer each time and by chance')
    const { feed, attempts } = await comeBack(rightly)
    const served = await isServed(feed)
    outcome(right, `${served ? 'served' : 'not served'} with its attempt number ${attempts}`)
    judge.that(SERVED, served, served ? 'served' : 'not served with a fresh ticket', feed.evidence())
    await lose({ feed })
  })
}

async function tryToOpen(target: Target): Promise<Feed | undefined> {
  try {
    return await openFeedOnce(target)
  } catch (error) {
    if (error instanceof CannotJudge) return undefined
    throw error
  }
}

async function comeBack({ target, credential }: Following): Promise<{ feed: Feed; attempts: number }> {
  for (let attempt = 0; attempt < numberOf('attempts'); attempt++) {
    await elapse(target, backoffMs({ attempt, random: vuRandom, baseMs: 1000, capMs: 30_000 }))
    const { ticket } = await takeTicket(target, credential)
    const feed = await tryToOpen(target)
    if (!feed) continue
    await authenticate(feed, ticket)
    return { feed, attempts: attempt + 1 }
  }
  throw new CannotJudge('the gateway did not come back')
}
