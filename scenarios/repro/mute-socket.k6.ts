// Sockets go mute: one client trusts the silence, the other sends synchronize and reconnects.

import {
  advanceMarket,
  followOrFail,
  heard,
  leave,
  readClientCredential,
  refetch,
} from '../lib/case/follower.ts'
import { actor, beginFaults, endFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { isServed } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import { elapse, mustHaveControl } from '../lib/world/control.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('mute') }

const SYNCHRONIZES = 'ws.sync.answered'
/**
 * DEADLINE_MS is the client's timeout on its own clock; REALLY_MS is the real wait, since no response will
 * come.
 */
const DEADLINE_MS = 5000
const REALLY_MS = 300

export function mute(): Promise<void> {
  return runCase([SYNCHRONIZES], async (judge) => {
    const trusting = actor('trusting-client')
    const right = actor('right-client')
    mustHaveControl(right, 'a network that fails unnoticed')
    await step('two clients follow the same busy pools')
    const rooms = await busyRooms(right, { count: readNumber('rooms') })
    const trustingly = { target: trusting, credential: await readClientCredential(trusting, 0), rooms }
    const rightly = { target: right, credential: await readClientCredential(right, 1), rooms }
    const trusted = await followOrFail(trustingly, judge, SYNCHRONIZES)
    const first = await followOrFail(rightly, judge, SYNCHRONIZES)

    await step('their sockets go mute, and the market continues')
    await beginFaults()
    await elapse(right, readNumber('silenceSeconds') * 1000)

    await step('the right client has received nothing for a while, and sends synchronize')
    const responded = await isServed(first.feed, REALLY_MS)
    await elapse(right, DEADLINE_MS)
    outcome(right, responded ? 'got a response: the market is quiet' : 'no response: the socket is dead')

    await step('it abandons the socket, opens another with a fresh ticket, joins its rooms, and reloads')
    first.feed.close()
    const reconnected = await followOrFail(rightly, judge, SYNCHRONIZES)
    await refetch(rightly)
    judge.pass(SYNCHRONIZES, 'synchronized on the new socket')

    await step('the market continues')
    await advanceMarket([reconnected], { done: () => heard(reconnected).length >= readNumber('events') })
    const open = trusted.feed.closed() === undefined
    outcome(trusting, `${open ? 'open' : 'closed'}, ${heard(trusted).length} events: it waits forever`)
    outcome(right, `${heard(reconnected).length} events`)
    await endFaults()
    await leave(reconnected)
  })
}
