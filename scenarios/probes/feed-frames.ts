import { LIMITS } from '../../contract/limits.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { elapse } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import { countControls, type Feed, MUTE, openFeed, takeTicket } from '../lib/feed.ts'
import { framesAllowed } from '../lib/frames-allowed.ts'
import type { Probe } from '../lib/probe.ts'

const FRAMES = LIMITS.wsFramesPerMinute
const BURST = 300
const SPREAD_MS = 58_000
const PARTS = 12

/** `mute`: the socket stayed open, and did not answer the ping that came last. */
type Outcome = { acted: number; sent: number; seconds: number; mute: boolean; feed: Feed }

/**
 * 240 frames a minute, whatever kind of window the target keeps: spread over 58 s all of them are acted on; of 300 at
 * once at most 240 and what 4 a second add. `synchronize` tells, as it is answered. Each is tried twice before it fails.
 */
export const frameLimit: Probe = {
  rules: ['ws.frames.240-accepted', 'ws.frames.at-most-240'],
  world: 'clock',
  async run(target, judge) {
    const all = ({ acted, sent }: Outcome) => acted === sent
    const spread = await twice(() => sendSpread(target), all)
    judge.that('ws.frames.240-accepted', all(spread), describe(spread), spread.feed.evidence())

    const few = ({ acted, seconds }: Outcome) => acted <= framesAllowed({ seconds })
    const burst = await twice(() => sendBurst(target), few)
    if (few(burst) && (burst.acted === 0 || burst.mute)) {
      judge.inconclusive('ws.frames.at-most-240', `${describe(burst)}; ${MUTE}`, burst.feed.evidence())
    }
    judge.that('ws.frames.at-most-240', few(burst), describe(burst), burst.feed.evidence())
  },
}

async function twice(once: () => Promise<Outcome>, holds: (outcome: Outcome) => boolean): Promise<Outcome> {
  const first = await once()
  return holds(first) ? first : await once()
}

function describe({ acted, sent, seconds }: Outcome): string {
  return `${acted} of ${sent} frames acted on, sent in ${seconds.toFixed(1)} s, after authenticate`
}

async function sendSpread(target: Target): Promise<Outcome> {
  const feed = await openAuthenticated(target)
  const startedMs = Date.now()
  const sent = FRAMES - 1
  let passedMs = 0
  for (let part = 1; part <= PARTS; part++) {
    for (let frame = countSent(part - 1, sent); frame < countSent(part, sent); frame++)
      feed.send({ action: 'synchronize' })
    await feed.settled(5000)
    if (part < PARTS) passedMs += await elapse(target, SPREAD_MS / (PARTS - 1))
  }
  await feed.until(() => countControls(feed, 'synchronized') === sent, 2000)
  feed.close()
  return {
    acted: countControls(feed, 'synchronized'),
    sent,
    mute: false,
    seconds: Math.max(passedMs, Date.now() - startedMs) / 1000,
    feed,
  }
}

function countSent(part: number, total: number): number {
  return Math.floor((total * part) / PARTS)
}

async function sendBurst(target: Target): Promise<Outcome> {
  const feed = await openAuthenticated(target)
  const startedMs = Date.now()
  for (let frame = 0; frame < BURST; frame++) feed.send({ action: 'synchronize' })
  const settled = await feed.settled(10_000)
  await feed.until(() => countControls(feed, 'synchronized') === BURST, 1000)
  const mute = !settled && feed.closed() === undefined
  feed.close()
  return {
    acted: countControls(feed, 'synchronized'),
    sent: BURST,
    mute,
    seconds: (Date.now() - startedMs) / 1000,
    feed,
  }
}

async function openAuthenticated(target: Target): Promise<Feed> {
  const { ticket } = await takeTicket(target, await readCredential(target))
  const feed = await openFeed(target)
  feed.send({ action: 'authenticate', token: ticket })
  await feed.settled(3000)
  return feed
}
