// Events are dropped, and `resync_required` reports it: one client ignores the control, the other reloads.

import {
  advanceMarket,
  type Follower,
  followOrFail,
  leave,
  loadPicture,
  readClientCredential,
  refetch,
  reportGhosts,
  timePasses,
} from '../lib/case/follower.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { isServed } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyPools } from '../lib/market/busy-pools.ts'
import { CannotJudge } from '../lib/verdict/judge.ts'
import { mustHaveControl } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('resync') }

const SYNCHRONIZES = 'ws.sync.answered'

export function resync(): Promise<void> {
  return runCase([SYNCHRONIZES], async (judge) => {
    const deaf = actor('deaf-client')
    const right = actor('right-client')
    const witness = actor('witness')
    mustHaveControl(right, 'dropping events')
    await step('two clients load the pools and follow them')
    const keys = (await busyPools(right)).slice(0, readNumber('pools'))
    const rooms = keys.map((key) => `pool_stats:${key}`)
    const followers = {
      deaf: await followOrFail(
        { target: deaf, credential: await readClientCredential(deaf, 0), rooms },
        judge,
        SYNCHRONIZES,
      ),
      right: await followOrFail(
        { target: right, credential: await readClientCredential(right, 1), rooms },
        judge,
        SYNCHRONIZES,
      ),
    }
    const loadNow = () => loadPicture({ ...followers.right, target: witness })
    const picture = await loadPicture(followers.deaf)
    for (const follower of Object.values(followers)) await refetch(follower)

    await step('the market continues; events are dropped in transit')
    await beginFaults()
    const announced = () => resyncs(followers.right)
    if (!(await advanceMarket(Object.values(followers), { done: () => announced() >= readNumber('drops') })))
      throw new CannotJudge(`got resync_required ${announced()} times, fewer than the case needs`)

    await step('the deaf client ignores `resync_required` as an unknown control')
    reportGhosts(followers.deaf, { picture, keys, now: await loadNow() })

    await step('the right client reloads everything that depends on the stream')
    const reloaded = await loadPicture(followers.right)
    await refetch(followers.right)
    reportGhosts(followers.right, { picture: reloaded, keys, now: await loadNow() })
    const served = await isServed(followers.right.feed)
    outcome(right, served ? 'still served' : 'no longer served')
    const seen = `synchronize gets ${served ? 'a' : 'no'} response after resync_required (${announced()} times)`
    if (served || !followers.right.feed.closed())
      judge.that(SYNCHRONIZES, served, seen, followers.right.feed.evidence())
    await leave(followers.right)
    await step('30 seconds later')
    await timePasses(deaf)
    await leave(followers.deaf)
  })
}

function resyncs({ feed }: Follower): number {
  return feed.received.filter(({ control }) => control === 'resync_required').length
}
