import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  authenticate,
  countControls,
  isLost,
  isServed,
  openServedFeed,
  takeTicket,
  throwIfRestarted,
} from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge } from '../lib/verdict/judge.ts'
import { elapse, nowMs } from '../lib/world/control.ts'

/** Until a minute includes few enough of the earlier frames for a renewal, and its ticket has not expired. */
const RENEW_MS = 8000
/** Until no minute includes any of the earlier frames. */
const REST_MS = 53_000
/** The renewal lasts no longer. */
const LATE_MS_MAX = 56_000
/** As many as the earlier frames that were sent at once: more than the limit with all earlier ones, but not within a minute. */
const FRAMES = 15
const RESPONSE_MS = 5000

/** `processed`: frames that got a response. */
export type Later = { when: string; processed: number; sent: number }

/**
 * Sends more frames after a socket has sent those of a minute over 58 s, and renewed half-way. Returns undefined if the socket was
 * lost.
 */
export async function sendSoon(target: Target, feed: Feed): Promise<Later | undefined> {
  await elapse(target, RENEW_MS)
  const processed = await countMore(feed)
  throwIfRestarted(feed)
  return isLost(feed) ? undefined : { when: `${RENEW_MS / 1000} s later`, processed, sent: FRAMES }
}

/**
 * Sends more frames after a socket has sent those of a minute over 58 s. Returns undefined if it proves nothing: the socket
 * was closed, or its ticket may have expired.
 */
export async function sendAfterMinute(
  target: Target,
  { feed, credential }: { feed: Feed; credential: Credential },
): Promise<Later | undefined> {
  await elapse(target, RENEW_MS)
  const renewedMs = await nowMs(target)
  await authenticate(feed, (await takeTicket(target, credential)).ticket)
  await elapse(target, REST_MS)
  const isLate = (await nowMs(target)) - renewedMs > LATE_MS_MAX
  const processed = await countMore(feed)
  if (isLate || feed.closed() !== undefined) return undefined
  return { when: 'a minute later', processed, sent: FRAMES }
}

async function countMore(feed: Feed): Promise<number> {
  const before = countControls(feed, 'synchronized')
  const count = () => countControls(feed, 'synchronized') - before
  for (let frame = 0; frame < FRAMES; frame++) feed.send({ action: 'synchronize' })
  await feed.until(() => count() === FRAMES, RESPONSE_MS)
  return count()
}

/** Until a server has handled the ticket: most servers, and slow ones. */
const HANDLED_MS = [1000, 3000]

/**
 * Like openServedFeed, without a ping, which a server may count as a frame. With a control API, pings are needed anyway: all frames
 * have to arrive before the clock moves.
 */
export async function openWithoutPing(target: Target, credential: Credential): Promise<Feed> {
  if (hasControl(target)) return await openServedFeed(target, credential, [])
  for (const waitMs of HANDLED_MS) {
    const { ticket } = await takeTicket(target, credential)
    const feed = await openFeed(target)
    feed.send({ action: 'authenticate', token: ticket })
    await feed.until(() => false, waitMs)
    if (await isServed(feed)) return feed
    feed.close()
  }
  throw new CannotJudge('a socket with a fresh ticket is not served')
}
