import { framesAllowed } from '../../client/feed-socket.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  authenticate,
  countControls,
  isLost,
  LOST,
  mustServe,
  openServedFeed,
  takeTicket,
  throwIfRestarted,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { hasControl } from '../lib/time/has-control.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { elapse, nowMs } from '../lib/world/control.ts'

const FRAMES = LIMITS.wsFramesPerMinute
const BURST = 300
/** Frames of the burst around a renewal: more than the limit only together. */
const RENEWED = { before: 100, after: 235 }
/** Joins and leaves, then frames with a response each: more than the limit only together. */
const CHANGED = { changes: 220, after: 60 }
const SPREAD_MS = 58_000
/** Just under a minute: over a longer span, 240 frames prove nothing. */
const SPREAD_MS_MAX = 59_500
const PARTS = 12

/** `processed`: frames that got a response. `mute`: the socket is open, but the last ping got no response. */
type Outcome = { processed: number; sent: number; ms: number; mute: boolean; feed: Feed }

/** Works for any rate limit window: all 240 frames spread over 58 s are processed; of 300 at once, at most 240 plus 4/s. */
export const frameLimit: Probe = {
  rules: ['ws.frames.240-accepted', 'ws.frames.at-most-240'],
  world: 'clock',
  async run(target, judge) {
    await judgeSpread(target, judge)
    await Promise.all([judgeRenewedBurst(target, judge), judgeChangingBurst(target, judge)])
    await judgeBurst(target, judge)
  },
}

/** Sends the 240 frames of a minute. Returns a description of the outcome. */
export async function judgeSpread(target: Target, judge: Judge): Promise<string> {
  const rule = 'ws.frames.240-accepted'
  const all = ({ processed, sent }: Outcome) => processed === sent
  const spread = await twice(() => sendSpread(target), all)
  if (!all(spread) && spread.ms > SPREAD_MS_MAX) {
    judge.inconclusive(rule, `too slow to judge: ${describe(spread)}`)
  }
  if (!all(spread) && isLost(spread.feed)) judge.inconclusive(rule, LOST)
  if (!all(spread)) await mustServe(target, await readCredential(target))
  judge.that(rule, all(spread), describe(spread), spread.feed.evidence())
  return describe(spread)
}

/** Sends more than that at once. Returns a description of the outcome. */
export async function judgeBurst(target: Target, judge: Judge): Promise<string> {
  const rule = 'ws.frames.at-most-240'
  const few = ({ processed, ms }: Outcome) => processed <= framesAllowed({ seconds: ms / 1000 })
  const burst = await twice(() => sendBurst(target), few)
  if (few(burst) && (burst.processed === 0 || burst.mute)) {
    judge.inconclusive(rule, `${describe(burst)}; ${UNRESPONSIVE}`, burst.feed.evidence())
  }
  judge.that(rule, few(burst), describe(burst), burst.feed.evidence())
  return describe(burst)
}

/** Fails if a renewal within the burst starts a new count: the limit is one of the connection. */
async function judgeRenewedBurst(target: Target, judge: Judge): Promise<void> {
  const few = ({ processed, ms }: Outcome) => processed <= framesAllowed({ seconds: ms / 1000 })
  const burst = await twice(() => sendRenewedBurst(target), few)
  const seen = `${describe(burst)} and a renewal`
  if (!few(burst)) judge.fail('ws.frames.at-most-240', seen, burst.feed.evidence())
}

/** Fails if joins and leaves do not count. The first response may be older than the burst. */
async function judgeChangingBurst(target: Target, judge: Judge): Promise<void> {
  const most = (ms: number) => framesAllowed({ seconds: ms / 1000 }) - CHANGED.changes + 1
  const few = ({ processed, ms }: Outcome) => processed <= most(ms)
  const burst = await twice(() => sendChangingBurst(target), few)
  const seen = `${describe(burst)} and ${CHANGED.changes} frames that join and leave a room`
  if (!few(burst)) judge.fail('ws.frames.at-most-240', seen, burst.feed.evidence())
}

async function twice(once: () => Promise<Outcome>, holds: (outcome: Outcome) => boolean): Promise<Outcome> {
  const first = await once()
  return holds(first) ? first : await once()
}

function describe({ processed, sent, ms }: Outcome): string {
  return `${processed} of ${sent} frames processed, sent in ${(ms / 1000).toFixed(1)} s, after authenticate`
}

/** Authenticates, renews half-way since a ticket lasts no longer, and sends 238 frames with a response each. */
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
      // The clock is paused; every frame sent must arrive before it moves.
      await feed.settled(5000)
      movedMs += await elapse(target, dueMs - movedMs)
    } else await elapse(target, Math.max(0, startedMs + dueMs - Date.now()))
  }
  const ms = hasControl(target) ? movedMs : Date.now() - startedMs
  await feed.until(() => countControls(feed, 'synchronized') === sent, 5000)
  throwIfRestarted(feed)
  feed.close()
  return { processed: countControls(feed, 'synchronized'), sent, ms, mute: false, feed }
}

function countSent(part: number, total: number): number {
  return Math.floor((total * part) / PARTS)
}

async function sendBurst(target: Target): Promise<Outcome> {
  const feed = await openServedFeed(target, await readCredential(target), [])
  const startedMs = await nowMs(target)
  const sent = BURST - 1
  for (let frame = 1; frame < sent; frame++) feed.send({ action: 'synchronize' })
  return await countProcessed(target, { feed, sent, startedMs })
}

async function sendRenewedBurst(target: Target): Promise<Outcome> {
  const credential = await readCredential(target)
  const { ticket } = await takeTicket(target, credential)
  const feed = await openServedFeed(target, credential, [])
  const startedMs = await nowMs(target)
  for (let frame = 1; frame < RENEWED.before; frame++) feed.send({ action: 'synchronize' })
  await authenticate(feed, ticket)
  for (let frame = 0; frame < RENEWED.after; frame++) feed.send({ action: 'synchronize' })
  return await countProcessed(target, { feed, sent: RENEWED.before + RENEWED.after, startedMs })
}

async function sendChangingBurst(target: Target): Promise<Outcome> {
  const feed = await openServedFeed(target, await readCredential(target), [])
  const startedMs = await nowMs(target)
  for (let change = 0; change < CHANGED.changes; change++) {
    feed.send({ action: change % 2 === 0 ? 'subscribe' : 'unsubscribe', room: 'pool_launches' })
  }
  for (let frame = 0; frame < CHANGED.after; frame++) feed.send({ action: 'synchronize' })
  return await countProcessed(target, { feed, sent: CHANGED.after + 1, startedMs })
}

async function countProcessed(
  target: Target,
  { feed, sent, startedMs }: { feed: Feed; sent: number; startedMs: number },
): Promise<Outcome> {
  const settled = await feed.settled(10_000)
  await feed.until(() => countControls(feed, 'synchronized') === sent, 1000)
  const mute = !settled && feed.closed() === undefined
  const ms = (await nowMs(target)) - startedMs
  feed.close()
  return { processed: countControls(feed, 'synchronized'), sent, ms, mute, feed }
}
