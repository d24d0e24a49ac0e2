// A client was away, and lays what comes now over what it knew before.
import type { Target } from '../../contract/scenario-config.ts'
import { actor, numberOf, outcome, step } from '../lib/actor.ts'
import { busyPools } from '../lib/busy-pools.ts'
import { CannotJudge } from '../lib/cannot.ts'
import type { FeedMessage } from '../lib/feed.ts'
import { EVENTS_MISSED_MIN, whySilent } from '../lib/feed-count.ts'
import { credentialOfClient, type Follower, follow, heard, lose, marketGoesOn } from '../lib/follower.ts'
import type { Judge } from '../lib/judge.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { pickText } from '../lib/pick.ts'
import { ghostsIn, loadPicture, type Picture } from '../lib/picture.ts'
import { play } from '../lib/play.ts'
import { EVENT_POOL } from '../lib/room.ts'
import { told } from '../lib/told.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('gap') }

const RULE = 'ws.delivery.not-replayed'

export function gap(): Promise<void> {
  return play([RULE], async (judge) => {
    const merging = actor('merging-client')
    const right = actor('right-client')
    told(right.profile.choices.events.pool, EVENT_POOL)
    const idPath = told(right.profile.choices.events.id, 'where an event has its id')
    const idOf = ({ json }: FeedMessage) => pickText(json, idPath) ?? ''

    await step('two clients follow the trades of the same pools; one of them knows how the pools stand')
    const keys = (await busyPools(right)).slice(0, numberOf('pools'))
    const rooms = keys.map((key) => `trades:${key}`)
    const mergingly = { target: merging, credential: await credentialOfClient(merging, 0), rooms }
    const before = await loadPicture(merging)
    const lost = await follow(mergingly)
    const stayed = await follow({ target: right, credential: await credentialOfClient(right, 1), rooms })

    await step('the merging client loses its socket, and the market goes on without it')
    await lose(lost)
    const missed = () => heard(stayed).filter((message) => idOf(message) !== '')
    const isGap = () => missed().length >= Math.max(EVENTS_MISSED_MIN, numberOf('trades'))
    if (!(await marketGoesOn([stayed], { done: isGap })))
      throw new CannotJudge('too little happened while the socket was away')
    const ids = new Set(missed().map(idOf))

    await step('it is back, keeps what it knew, and lays over it what comes')
    const back = await follow(mergingly)
    const live = () => heard(back).filter((message) => !ids.has(idOf(message)))
    await marketGoesOn([stayed, back], { done: () => live().length > 0 })
    await tellGhosts(merging, { picture: before, keys, followers: [back] })
    judgeReplay(judge, { back, ids, idOf, live: live().length })

    await step('the right client throws its picture away after a gap, and loads it anew')
    const anew = await loadPicture(right)
    await tellGhosts(right, { picture: anew, keys, followers: [] })
    for (const follower of [stayed, back]) await lose(follower)
  })
}

async function tellGhosts(
  target: Target,
  { picture, keys, followers }: { picture: Picture; keys: readonly string[]; followers: readonly Follower[] },
): Promise<void> {
  const { pool } = target.profile.choices.events
  const toldOf = new Set(followers.flatMap(heard).map(({ json }) => pickText(json, pool) ?? ''))
  const ghosts = ghostsIn(picture, { now: await loadPicture(target), keys, told: toldOf })
  const prices = ghosts.slice(0, 1).map((key) => `, the first ${key}`)
  outcome(target, `${ghosts.length} of ${keys.length} pools stand otherwise than REST says${prices.join('')}`)
}

function judgeReplay(
  judge: Judge,
  options: { back: Follower; ids: ReadonlySet<string>; idOf: (message: FeedMessage) => string; live: number },
): void {
  const { back, ids, idOf, live } = options
  const replayed = heard(back).filter((message) => ids.has(idOf(message))).length
  const seen = `${replayed} of ${ids.size} trades that came meanwhile, ${live} others`
  if (replayed > 0) judge.fail(RULE, seen, back.feed.evidence())
  else if (live > 0) judge.pass(RULE, seen)
  else judge.inconclusive(RULE, whySilent(back.feed) ?? 'nothing came after the reconnect')
}
