import { findEventPath } from '../../contract/room-events.ts'
import {
  advanceMarket,
  type Follower,
  follow,
  heard,
  leave,
  loadPicture,
  loseSockets,
  readClientCredential,
  refetch,
  reportGhosts,
  timePasses,
} from '../lib/case/follower.ts'
import { actor, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { EVENT_POOL, EVENTS_MISSED_MIN, whySilent } from '../lib/feed/events.ts'
import type { FeedMessage } from '../lib/feed/feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { pickText } from '../lib/pick.ts'
import { CannotJudge, type Judge, requireChoice } from '../lib/verdict/judge.ts'

// A client reconnects and applies new events to its outdated state.

export const options = { ...COMMON_OPTIONS, scenarios: lane('gap') }

const RULE = 'ws.delivery.not-replayed'

export function gap(): Promise<void> {
  return runCase([RULE], async (judge) => {
    const merging = actor('merging-client')
    const right = actor('right-client')
    const witness = actor('witness')
    requireChoice(right.profile.choices.events.pool, EVENT_POOL)
    const idPath = requireChoice(
      findEventPath(right.profile.choices.events.id, 'Trade'),
      'the path of the id in events',
    )
    const readId = ({ json }: FeedMessage) => pickText(json, idPath) ?? ''

    await step('two clients load the pools and follow their trades; a witness will do the same')
    const keys = (await busyPools(witness)).slice(0, readNumber('pools'))
    const rooms = keys.map((key) => `trades:${key}`)
    const mergingly = { target: merging, credential: await readClientCredential(merging, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const loadNow = () => loadPicture({ ...rightly, target: witness })
    const picture = await loadPicture(mergingly)
    for (const following of [mergingly, rightly]) await refetch(following)
    const before = [await follow(mergingly), await follow(rightly)]

    await step('both lose their sockets, and the market continues without them')
    await loseSockets(right, before)
    const stayed = await follow({ ...rightly, target: witness })
    const missed = () => heard(stayed).filter((message) => readId(message) !== '')
    const isGap = () => missed().length >= Math.max(EVENTS_MISSED_MIN, readNumber('trades'))
    if (!(await advanceMarket([stayed], { done: isGap })))
      throw new CannotJudge('too few events while the sockets were closed')
    const ids = new Set(missed().map(readId))

    await step('the merging client reconnects, keeps its old state, and applies new events to it')
    const back = await follow(mergingly)
    const live = () => heard(back).filter((message) => !ids.has(readId(message)))
    await advanceMarket([stayed, back], { done: () => live().length > 0 })
    reportGhosts(back, { picture, keys, now: await loadNow() })
    judgeReplay(judge, { back, ids, readId, live: live().length })

    await step('the right client reconnects, discards its state, and reloads it after `synchronized`')
    const reconnected = await follow(rightly)
    const reloaded = await loadPicture(rightly)
    reportGhosts(reconnected, { picture: reloaded, keys, now: await loadNow() })
    await refetch(rightly)
    for (const follower of [stayed, reconnected]) await leave(follower)
    await step('30 seconds later')
    await timePasses(merging)
    await leave(back)
  })
}

function judgeReplay(
  judge: Judge,
  options: {
    back: Follower
    ids: ReadonlySet<string>
    readId: (message: FeedMessage) => string
    live: number
  },
): void {
  const { back, ids, readId, live } = options
  const replayed = heard(back).filter((message) => ids.has(readId(message))).length
  const seen = `${replayed} of ${ids.size} trades of the gap arrived again, ${live} new ones`
  if (replayed > 0) judge.fail(RULE, seen, back.feed.evidence())
  else if (live > 0) judge.pass(RULE, seen)
  else judge.inconclusive(RULE, whySilent(back.feed) ?? 'no events after the reconnect')
}
