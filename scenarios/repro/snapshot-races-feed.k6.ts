// A client loads a snapshot and then subscribes, so it misses the events in between.
import type { Target } from '../../contract/scenario-config.ts'
import {
  advanceMarket,
  type Follower,
  follow,
  heard,
  leave,
  loadPicture,
  readClientCredential,
  reportGhosts,
} from '../lib/case/follower.ts'
import { actor, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { EVENT_POOL, EVENTS_MISSED_MIN, whySilent } from '../lib/feed/events.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { CannotJudge, type Judge, requireChoice } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'
import { countArrived } from '../probes/feed-delivery.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('orders') }

const RULE = 'ws.sync.subscriptions-active'

export function orders(): Promise<void> {
  return runCase([RULE], async (judge) => {
    const hasty = actor('hasty-client')
    const right = actor('right-client')
    const witness = actor('witness')
    requireChoice(right.profile.choices.events.pool, EVENT_POOL)
    await step('the hasty client loads the pools')
    const keys = (await busyPools(right)).slice(0, readNumber('pools'))
    const rooms = keys.map((key) => `pool_stats:${key}`)
    const hastily = { target: hasty, credential: await readClientCredential(hasty, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const loadNow = () => loadPicture({ ...rightly, target: witness })
    const early = await loadPicture(hastily)

    await step('the market continues during the refetch')
    await elapse(hasty, readNumber('seconds') * 1000)

    await step('then it follows them, and assumes that it misses nothing')
    const late = await follow(hastily)
    await advanceMarket([late], { done: () => heard(late).length > 0, blocksMax: 150 })
    reportGhosts(late, { picture: early, keys, now: await loadNow() })

    await step('the right client first follows them, waits for `synchronized`, and then loads the pools')
    const live = await follow(rightly)
    const before = heard(late).length
    const picture = await loadPicture(rightly)
    const owed = () => heard(late).slice(before)
    await advanceMarket([late, live], { done: () => owed().length >= EVENTS_MISSED_MIN })
    await live.feed.settled(3000)
    reportGhosts(live, { picture, keys, now: await loadNow() })
    judgeActive(right, judge, { owed: owed().slice(0, EVENTS_MISSED_MIN), live })
    for (const follower of [late, live]) await leave(follower)
  })
}

/** The hasty client joined earlier and serves as the witness. */
function judgeActive(
  target: Target,
  judge: Judge,
  { owed, live }: { owed: ReturnType<typeof heard>; live: Follower },
): void {
  if (owed.length === 0) throw new CannotJudge('no events after `synchronized`')
  const arrived = countArrived(target, owed, heard(live))
  const seen = `${arrived} of the first ${owed.length} events after \`synchronized\` arrived`
  const why = whySilent(live.feed)
  if (arrived > 0) judge.pass(RULE, seen)
  else if (why !== undefined) judge.inconclusive(RULE, why)
  else if (owed.length >= EVENTS_MISSED_MIN) judge.fail(RULE, seen, live.feed.evidence())
  else judge.inconclusive(RULE, `only ${owed.length} events were expected`)
}
