import { busyPools } from '../lib/busy-pools.ts'
import { CannotJudge, CannotProbe } from '../lib/cannot.ts'
import { chainGoesOn, control, hasControl } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import { pause } from '../lib/pause.ts'
import type { Probe } from '../lib/probe.ts'
import { backoffMs } from '../lib/retry-after.ts'
import { EVENT_POOL, isOfRoom } from '../lib/room.ts'
import { openServedFeed } from '../lib/served-feed.ts'
import { told } from '../lib/told.ts'
import { vuRandom } from '../lib/vu-random.ts'

/** Several, as any one pool may go quiet. */
const ROOMS = 8

/** A deployment: the gateway closes every socket with 1012, and clients come back. */
export const restart: Probe = {
  rules: ['ws.restart.restores'],
  world: 'feed',
  async run(target, judge) {
    if (!hasControl(target)) throw new CannotProbe('needs a control API to restart the gateway')
    told(target.profile.choices.events.pool, EVENT_POOL)
    const credential = await readCredential(target)
    const rooms = (await busyPools(target)).slice(0, ROOMS).map((key) => `pool_stats:${key}`)
    const before = await openServedFeed(target, credential, rooms)
    await control(target, '/gateway/restart')
    await before.until(() => false, 5000)
    const closed = before.closed()
    if (closed?.code !== 1012)
      throw new CannotJudge(`the restart closed the socket with ${closed?.code ?? 'nothing'}`)

    await pause(backoffMs({ attempt: 0, random: vuRandom }))
    const after = await openServedFeed(target, credential, rooms)
    try {
      const { events } = target.profile.choices
      const delivers = () =>
        after.received.some((message) => rooms.some((room) => isOfRoom(room, message, events)))
      const went = await chainGoesOn(target, { done: delivers, blocksMax: 300, waitMsMax: 30_000 })
      if (went) judge.pass('ws.restart.restores', 'closed with 1012, back with its rooms')
      else
        judge.inconclusive('ws.restart.restores', 'nothing to deliver after the reconnect', after.evidence())
    } finally {
      after.close()
    }
  },
}
