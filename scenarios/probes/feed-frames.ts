import { framesAllowed } from '../../client/feed-socket.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  countControls,
  isLost,
  LOST,
  MUTE,
  mustServe,
  openServedFeed,
  takeTicket,
  throwIfRestarted,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { hasControl } from '../lib/time/has-control.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { elapse, nowMs } from '../lib/world/control.ts'

const FRAMES = LIMITS.wsFramesPerMinute
const BURST = 300
const SPREAD_MS = 58_000
/** A minute with its last second left out: beyond it, 240 frames are no proof of anything. */
const SPREAD_MS_MAX = 59_500
const PARTS = 12

/** `acted`: how many of the frames sent were answered. `mute`: open, and no answer to the ping that came last. */
type Outcome = { acted: number; sent: number; ms: number; mute: boolean; feed: Feed }

/**
 * 240 frames a minute, whatever kind of window the target keeps: spread over 58 s all of them are acted on; of 300 at
 * once at most 240 and what 4 a second add. `synchronize` tells, as it is answered. Each is tried twice before it fails.
 */
export const frameLimit: Probe = {
  rules: ['ws.frames.240-accepted', 'ws.frames.at-most-240'],
  world: 'clock',
  async run(target, judge) {
    await judgeSpread(target, judge)
    await judgeBurst(target, judge)
  },
}

/** As many frames as a minute may have. Returns what was seen. */
export async function judgeSpread(target: Target, judge: Judge): Promise<string> {
  const rule = 'ws.frames.240-accepted'
  const all = ({ acted, sent }: Outcome) => acted === sent
  const spread = await twice(() => sendSpread(target), all)
  if (!all(spread) && spread.ms > SPREAD_MS_MAX) {
    judge.inconclusive(rule, `too slow to tell: ${describe(spread)}`)
  }
  if (!all(spread) && isLost(spread.feed)) judge.inconclusive(rule, LOST)
  if (!all(spread)) await mustServe(target, await readCredential(target))
  judge.that(rule, all(spread), describe(spread), spread.feed.evidence())
  return describe(spread)
}

/** More than that, at once. Returns what was seen. */
export async function judgeBurst(target: Target, judge: Judge): Promise<string> {
  const rule = 'ws.frames.at-most-240'
  const few = ({ acted, ms }: Outcome) => acted <= framesAllowed({ seconds: ms / 1000 })
  const burst = await twice(() => sendBurst(target), few)
  if (few(burst) && (burst.acted === 0 || burst.mute)) {
    judge.inconclusive(rule, `${describe(burst)}; ${MUTE}`, burst.feed.evidence())
  }
  judge.that(rule, few(burst), describe(burst), burst.feed.evidence())
  return describe(burst)
}

async function twice(once: () => Promise<Outcome>, holds: (outcome: Outcome) => boolean): Promise<Outcome> {
  const first = await once()
  return holds(first) ? first : await once()
}

function describe({ acted, sent, ms }: Outcome): string {
  return `${acted} of ${sent} frames acted on, sent in ${(ms / 1000).toFixed(1)} s, after authenticate`
}

/** Authenticate, a renewal half-way as a ticket lasts no longer, and 238 that are answered: the first of them already. */
async function sendSpread(target: Target): Promise<Outcome> {
  const credential = await readCredential(target)
  const feed = await openServedFeed(target, credential, [])
  const startedMs = Date.now()
  const sent = FRAMES - 2
  let movedMs = 0
  for (let part = 0; part < PARTS; part++) {
    for (let frame = countSent(part, sent - 1); frame < countSent(part + 1, sent - 1); frame++) {
      feed.send({ action: 'synchronize' })
    }
    if (part === PARTS / 2) {
      feed.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
    }
    if (part + 1 === PARTS) break
    const dueMs = (SPREAD_MS / (PARTS - 1)) * (part + 1)
    if (hasControl(target)) {
      // The clock stands still meanwhile; whatever was sent has to arrive before it moves.
      await feed.settled(5000)
      movedMs += await elapse(target, dueMs - movedMs)
    } else await elapse(target, Math.max(0, startedMs + dueMs - Date.now()))
  }
  const ms = hasControl(target) ? movedMs : Date.now() - startedMs
  await feed.until(() => countControls(feed, 'synchronized') === sent, 5000)
  throwIfRestarted(feed)
  feed.close()
  return { acted: countControls(feed, 'synchronized'), sent, ms, mute: false, feed }
}

function countSent(part: number, total: number): number {
  return Math.floor((total * part) / PARTS)
}

async function sendBurst(target: Target): Promise<Outcome> {
  const feed = await openServedFeed(target, await readCredential(target), [])
  const startedMs = await nowMs(target)
  const sent = BURST - 1
  for (let frame = 1; frame < sent; frame++) feed.send({ action: 'synchronize' })
  const settled = await feed.settled(10_000)
  await feed.until(() => countControls(feed, 'synchronized') === sent, 1000)
  const mute = !settled && feed.closed() === undefined
  const ms = (await nowMs(target)) - startedMs
  feed.close()
  return { acted: countControls(feed, 'synchronized'), sent, ms, mute, feed }
}
