import { findEventPath } from '../../contract/room-events.ts'
import {
  type Follower,
  followOrFail,
  heard,
  leave,
  readClientCredential,
  refetch,
} from '../lib/case/follower.ts'
import { actor, beginFaults, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { repeats } from '../lib/feed/events.ts'
import { countControls, isServed } from '../lib/feed/served-feed.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { busyRooms } from '../lib/market/busy-pools.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { control, elapse, mustHaveControl } from '../lib/world/control.ts'

// A client leaves its socket unread while the market moves: events are dropped, and `resync_required` reports
// it.

export const options = { ...COMMON_OPTIONS, scenarios: lane('slow') }

const SYNCHRONIZES = 'ws.sync.answered'
const ONCE = 'ws.delivery.at-most-once'
/** After the end of the fault, and well within a ticket's lifetime. */
const REST_MS = 10_000
const READ_MS = 15_000

export function slow(): Promise<void> {
  return runCase([SYNCHRONIZES, ONCE], async (judge) => {
    const quickClient = actor('quick-client')
    const slowClient = actor('slow-client')
    mustHaveControl(slowClient, 'a socket that is not read')
    await step('two clients follow the same rooms')
    const rooms = await busyRooms(slowClient, {
      count: readNumber('rooms'),
      kinds: ['pool_stats', 'trades', 'ohlcv'],
    })
    const join = async (target: typeof slowClient, place: number): Promise<Follower> => {
      const credential = await readClientCredential(target, place)
      return followOrFail({ target, credential, rooms }, judge, SYNCHRONIZES)
    }
    const [quick, slow] = [await join(quickClient, 0), await join(slowClient, 1)]

    await step('one of them stops reading its socket, and the market continues')
    await beginFaults()
    await control(slowClient, '/mining', { mode: 'paused' })
    await control(slowClient, '/mine', { blocks: readNumber('blocks') })

    await step('it reads again')
    await elapse(slowClient, REST_MS)
    const isAnnounced = () => countControls(slow.feed, 'resync_required') > 0
    await slow.feed.until(isAnnounced, READ_MS)
    outcome(quickClient, `got ${heard(quick).length} events`)
    const explanation = `${isAnnounced() ? '' : 'no '}resync_required`
    outcome(slowClient, `got ${heard(slow).length} of them, and ${explanation}`)

    await step('it reloads over REST what it missed')
    await refetch(slow)
    await judgeSlow(judge, slow)
    for (const follower of [quick, slow]) await leave(follower)
  })
}

async function judgeSlow(judge: Judge, slow: Follower): Promise<void> {
  const { target, feed } = slow
  const path = findEventPath(target.profile.choices.events.id, 'Trade')
  const trades = heard(slow).filter(({ type }) => type === 'Trade')
  const twice = repeats(trades, path)
  if (path === null || trades.length === 0)
    judge.inconclusive(ONCE, `${trades.length} trades with comparable ids`)
  else judge.that(ONCE, twice.length === 0, `${twice.length} of ${trades.length} trades arrived twice`)
  const served = await isServed(feed)
  const seen = `synchronize gets ${served ? 'a' : 'no'} response after the socket is read again`
  if (served || !feed.closed()) judge.that(SYNCHRONIZES, served, seen, feed.evidence())
  else judge.inconclusive(SYNCHRONIZES, 'the socket was closed', feed.evidence())
}
