// A client reconnects and never subscribes again.

import {
  advanceMarket,
  follow,
  followOrFail,
  heard,
  leave,
  loseSockets,
  readClientCredential,
  refetch,
  timePasses,
} from '../lib/case/follower.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import { elapse } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('comeBack') }

const SERVED = 'ws.auth.ticket'

export function comeBack(): Promise<void> {
  return runCase([SERVED], async (judge) => {
    const silent = actor('silent-client')
    const right = actor('right-client')
    await step('two clients follow the same busy pools')
    const rooms = await busyRooms(right, { count: readNumber('rooms') })
    const silently = { target: silent, credential: await readClientCredential(silent, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const before = [await followOrFail(silently, judge, SERVED), await follow(rightly)]

    await step('a moment later both lose their sockets')
    await elapse(right, 1000)
    await loseSockets(right, before)

    await step('the silent client opens another socket, authenticates, and stops there')
    const deaf = { ...(await follow({ ...silently, rooms: [] })), rooms }

    await step('the right client also joins its rooms again, synchronizes, and reloads')
    const live = await followOrFail(rightly, judge, SERVED)
    judge.pass(SERVED, 'served after the reconnect')
    await refetch(rightly)

    await step('the market continues')
    await advanceMarket([deaf, live], { done: () => heard(live).length >= readNumber('events') })
    outcome(silent, `got ${heard(deaf).length} events since: it assumes a quiet market`)
    outcome(right, `got ${heard(live).length} events since`)
    await leave(live)
    await step('30 seconds later')
    await timePasses(silent)
    await leave(deaf)
  })
}
