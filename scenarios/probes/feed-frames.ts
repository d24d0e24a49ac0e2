import { framesAllowed } from '../../client/feed-socket.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { config } from '../lib/config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  authenticate,
  countControls,
  isLost,
  LOST,
  openServedFeed,
  takeTicket,
  throwIfRestarted,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { byItself, type Judge } from '../lib/verdict/judge.ts'
import { elapse, nowMs } from '../lib/world/control.ts'
import { type Later, openWithoutPing, sendAfterMinute, sendSoon } from './feed-frames-later.ts'

const FRAMES = LIMITS.wsFramesPerMinute
const BURST = 300
/** Frames of the burst around a renewal: more than the limit only together. */
const RENEWED = { before: 100, after: 235 }
/** Joins and leaves, then frames with a response each: more than the limit only together. */
const CHANGED = { changes: 220, after: 60 }
/** Frames of the other socket: more than the limit only together. */
const OTHERS = 60
const SPREAD_MS = 58_000
/** Just under a minute: over a longer span, 240 frames prove nothing. */
const SPREAD_MS_MAX = 59_500
const PARTS = 12
const MINUTE_MS = 60_000
const FEW = 3
/** Responses may be lost with the socket. */
const CUT_APART_MAX = 2

/** `processed`: frames that got a response. `mute`: the socket is open, but the last ping got no response. */
type Outcome = {
  processed: number
  sent: number
  ms: number
  mute: boolean
  feed: Feed
  /** The frames sent later. */
  later?: Later | undefined
  /** Number of responses on a socket that was lost before it responded to all frames, while another one was served to its end. */
  cutAfter?: number | undefined
}

const ACCEPTED = 'ws.frames.240-accepted'
const AT_MOST = 'ws.frames.at-most-240'

/**
 * Works for any rate limit window: all 240 frames spread over 58 s are processed, and of 300 at once, at most 240 plus 4/s. The
 * bursts come last: a server may then slow down the whole client.
 */
export const frameLimits: Probe = {
  rules: [ACCEPTED, AT_MOST],
  world: 'clock',
  async run(target, judge) {
    const later = hasControl(target) || config.slow ? 'minute' : 'soon'
    const last = (feed: Feed) => judgeLateBurst(target, judge, feed)
    if (config.rules.includes(ACCEPTED))
      await byItself(
        judge,
        ACCEPTED,
        async () => void (await judgeSpread(target, judge, { others: OTHERS, later, last })),
      )
    await byItself(judge, AT_MOST, async () => {
      await Promise.all([judgeRenewedBurst(target, judge), judgeChangingBurst(target, judge)])
      await judgeBurst(target, judge)
    })
  },
}

type Spread = {
  /** Frames of another socket with the same credential: the limit is one of each connection. */
  others?: number
  /** Sends more frames one minute later, or some seconds later. */
  later?: 'minute' | 'soon'
  /** Called with the socket if it got a response to each frame, also to those sent later. */
  last?: (feed: Feed) => Promise<void>
}

/** Sends the 240 frames of a minute. Returns a description of the outcome. */
export async function judgeSpread(target: Target, judge: Judge, options: Spread = {}): Promise<string> {
  const rule = ACCEPTED
  const isAll = ({ processed, sent }: { processed: number; sent: number }) => processed === sent
  const all = (outcome: Outcome) => isAll(outcome) && (outcome.later === undefined || isAll(outcome.later))
  const spreads: Outcome[] = []
  const send = async () => {
    const outcome = await sendSpread(target, options)
    spreads.push(outcome)
    return outcome
  }
  const spread = await twice(send, all)
  if (!all(spread) && spread.ms > SPREAD_MS_MAX) {
    judge.inconclusive(rule, `too slow to judge: ${describe(spread)}`)
  }
  if (!all(spread) && isLost(spread.feed) && !areCutAlike(spreads)) judge.inconclusive(rule, LOST)
  if (!all(spread)) {
    // A limit that is not one of the connection may refuse the witness too, for a minute.
    await elapse(target, MINUTE_MS)
    if (await joinsResponses(target))
      judge.inconclusive(rule, `one synchronized may respond to several frames: ${describe(spread)}`)
  }
  judge.that(rule, all(spread), describe(spread), spread.feed.evidence())
  return describe(spread)
}

/** An outage does not cut sockets after the same frame, nor only those that send many. */
function areCutAlike(spreads: readonly Outcome[]): boolean {
  const counts = spreads.map(({ cutAfter = Number.NaN }) => cutAfter)
  return counts.length > 1 && Math.max(...counts) - Math.min(...counts) <= CUT_APART_MAX
}

/** Sends more than that at once. Returns a description of the outcome. */
export async function judgeBurst(target: Target, judge: Judge): Promise<string> {
  const rule = AT_MOST
  const burst = await twice(() => sendBurst(target), isFew)
  const seen = describeBurst(burst)
  if (isFew(burst) && (burst.processed === 0 || burst.mute)) {
    judge.inconclusive(rule, `${seen}; ${UNRESPONSIVE}`, burst.feed.evidence())
  }
  judge.that(rule, isFew(burst), seen, burst.feed.evidence())
  return seen
}

/** Fails if a renewal within the burst starts a new count: the limit is one of the connection. */
async function judgeRenewedBurst(target: Target, judge: Judge): Promise<void> {
  const burst = await twice(() => sendRenewedBurst(target), isFew)
  const seen = `${describeBurst(burst)}, with a renewal`
  if (!isFew(burst)) judge.fail(AT_MOST, seen, burst.feed.evidence())
}

/** Fails if joins and leaves do not count. The first response may be older than the burst. */
async function judgeChangingBurst(target: Target, judge: Judge): Promise<void> {
  const others = CHANGED.changes - 1
  const isFewMore = (burst: Outcome) => burst.processed <= countAllowed(burst) - others
  const burst = await twice(() => sendChangingBurst(target), isFewMore)
  const seen = `${describeBurst(burst, others)}, with ${CHANGED.changes} frames that join and leave a room`
  if (!isFewMore(burst)) judge.fail(AT_MOST, seen, burst.feed.evidence())
}

/**
 * Fails if there is no limit after the first minute of a connection. The second burst is on the same socket: a minute that begins
 * within the first one leaves it even fewer frames.
 */
async function judgeLateBurst(target: Target, judge: Judge, feed: Feed): Promise<void> {
  const burst = await twice(() => sendLateBurst(target, feed), isFew)
  const seen = `${describeBurst(burst)}, on a socket more than a minute old`
  if (!isFew(burst)) judge.fail(AT_MOST, seen, feed.evidence())
}

function countAllowed({ ms }: Outcome): number {
  return framesAllowed({ seconds: ms / 1000 })
}

function isFew(burst: Outcome): boolean {
  return burst.processed <= countAllowed(burst)
}

/** @param others frames that count, but get no response */
function describeBurst(burst: Outcome, others = 0): string {
  return `${describe(burst)}; at most ${Math.floor(countAllowed(burst) - others)} allowed`
}

async function twice(once: () => Promise<Outcome>, holds: (outcome: Outcome) => boolean): Promise<Outcome> {
  const first = await once()
  return holds(first) ? first : await once()
}

function describe({ processed, sent, ms, later }: Outcome): string {
  const seen = `${processed} of ${sent} frames processed, sent in ${(ms / 1000).toFixed(1)} s, after authenticate`
  return later === undefined ? seen : `${seen}; ${later.when}, ${later.processed} of ${later.sent}`
}

/** Authenticates, renews half-way since a ticket lasts no longer, and sends 238 frames with a response each. */
async function sendSpread(target: Target, { others = 0, later: more, last }: Spread): Promise<Outcome> {
  const credential = await readCredential(target)
  const feed = await openWithoutPing(target, credential)
  const other = others > 0 ? await openServedFeed(target, credential, []) : undefined
  const startedMs = Date.now()
  const sent = FRAMES - 2
  let movedMs = 0
  let sentOpen = 0
  for (let part = 0; part < PARTS; part++) {
    for (let frame = countSent(part, sent - 1); frame < countSent(part + 1, sent - 1); frame++) {
      if (feed.closed() === undefined) sentOpen++
      feed.send({ action: 'synchronize' })
    }
    // The ticket of the other socket is not renewed.
    for (let frame = 0; part < PARTS / 2 && frame < others / (PARTS / 2); frame++) {
      other?.send({ action: 'synchronize' })
    }
    if (part === PARTS / 2) {
      feed.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
    }
    if (part + 1 === PARTS) break
    const dueMs = (SPREAD_MS / (PARTS - 1)) * (part + 1)
    if (hasControl(target)) {
      // The clock is paused; every frame sent must arrive before it moves.
      await Promise.all([feed.settled(5000), other?.settled(5000)])
      movedMs += await elapse(target, dueMs - movedMs)
    } else await elapse(target, Math.max(0, startedMs + dueMs - Date.now()))
  }
  const ms = hasControl(target) ? movedMs : Date.now() - startedMs
  const isOtherOpen = other !== undefined && other.closed() === undefined
  await feed.until(() => countControls(feed, 'synchronized') === sent, 5000)
  throwIfRestarted(feed)
  // The first response is that of its opening.
  const ofOther = other === undefined || isLost(other) ? undefined : countControls(other, 'synchronized') - 1
  other?.close()
  const processed = countControls(feed, 'synchronized')
  // A renewal, or silence, ends a socket only after its last response.
  const isCut = isLost(feed) && processed <= sentOpen && isOtherOpen && ofOther === others
  let later: Later | undefined
  if (processed === sent && more === 'minute') later = await sendAfterMinute(target, { feed, credential })
  if (processed === sent && more === 'soon') later = await sendSoon(target, feed)
  const [theirs, sentTheirs] = ofOther === undefined ? [0, 0] : [ofOther, others]
  if (later !== undefined && later.processed === later.sent && theirs === sentTheirs) await last?.(feed)
  feed.close()
  const cutAfter = isCut ? processed : undefined
  return { processed: processed + theirs, sent: sent + sentTheirs, ms, mute: false, feed, later, cutAfter }
}

/** Sends a few frames, far below any limit, at once. Returns true if fewer responses come, but some. */
async function joinsResponses(target: Target): Promise<boolean> {
  const feed = await openServedFeed(target, await readCredential(target), [])
  for (let frame = 0; frame < FEW; frame++) feed.send({ action: 'synchronize' })
  // The first response is that of its opening.
  const count = () => countControls(feed, 'synchronized') - 1
  await feed.until(() => count() >= FEW, 5000)
  throwIfRestarted(feed)
  feed.close()
  return count() > 0 && count() < FEW
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

async function sendLateBurst(target: Target, feed: Feed): Promise<Outcome> {
  const before = countControls(feed, 'synchronized')
  const startedMs = await nowMs(target)
  for (let frame = 0; frame < BURST; frame++) feed.send({ action: 'synchronize' })
  return await countResponses(target, { feed, before, sent: BURST, startedMs })
}

type Sent = { feed: Feed; before?: number; sent: number; startedMs: number }

async function countProcessed(target: Target, burst: Sent): Promise<Outcome> {
  const outcome = await countResponses(target, burst)
  burst.feed.close()
  return outcome
}

/** @param burst.before responses to frames from before the burst */
async function countResponses(target: Target, { feed, before = 0, sent, startedMs }: Sent): Promise<Outcome> {
  const count = () => countControls(feed, 'synchronized') - before
  const settled = await feed.settled(10_000)
  await feed.until(() => count() === sent, 1000)
  const mute = !settled && feed.closed() === undefined
  const ms = (await nowMs(target)) - startedMs
  return { processed: count(), sent, ms, mute, feed }
}
