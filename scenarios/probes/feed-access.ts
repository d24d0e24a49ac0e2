import type { Target } from '../../contract/scenario-config.ts'
import { busyPools } from '../lib/busy-pools.ts'
import { chainGoesOn } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import { type Feed, openFeed } from '../lib/feed.ts'
import type { Judge } from '../lib/judge.ts'
import type { Probe } from '../lib/probe.ts'
import { isRoomEvent } from '../lib/room.ts'
import {
  authenticatePatiently,
  isServedBesideWitness,
  MUTE,
  openServedFeed,
  tryFeed,
} from '../lib/served-feed.ts'
import { withSession } from '../lib/session.ts'
import { walletFor } from '../lib/wallet.ts'

/** Who is served on the socket, and who is not; and frames that are too long. */
export const feedAccess: Probe = {
  rules: [
    'ws.auth.ticket',
    'ws.sync.answered',
    'ws.auth.rejects-api-token',
    'ws.auth.rejects-session-token',
    'ws.frame.2000-accepted',
    'ws.frame.over-2048-refused',
  ],
  world: 'feed',
  async run(target, judge) {
    const credential = await readCredential(target)
    const { feed, served } = await tryFeed(target, credential, [])
    const seen = served ? 'synchronize is answered' : 'synchronize is not answered'
    judge.that('ws.auth.ticket', served, seen, feed.evidence())
    judge.that('ws.sync.answered', served, seen, feed.evidence())
    feed.close()
    if (!served) return

    await judgeSizes(target, judge)
    const [apiToken] = target.apiTokens
    if (apiToken === undefined) judge.skip('ws.auth.rejects-api-token', 'needs an API token')
    else await judgeToken(target, judge, { rule: 'ws.auth.rejects-api-token', token: apiToken })
    await judgeSessionToken(target, judge)
  },
}

async function judgeSessionToken(target: Target, judge: Judge): Promise<void> {
  const rule = 'ws.auth.rejects-session-token'
  const name = target.profile.choices.cookies.access
  if (name === null) {
    judge.skip(rule, 'the profile does not tell the name of the access cookie')
    return
  }
  await withSession(target, walletFor(target, 'feed'), async (session) => {
    const token = session.cookies.get(name)
    if (token === undefined) judge.inconclusive(rule, `sign-in set no cookie ${name}`)
    else await judgeToken(target, judge, { rule, token })
  })
}

/** Sends what is no ticket, and asks to be served. */
async function judgeToken(
  target: Target,
  judge: Judge,
  { rule, token }: { rule: string; token: string },
): Promise<void> {
  const credential = await readCredential(target)
  const feed = await openFeed(target)
  await authenticatePatiently(feed, token)
  const served = await isServedBesideWitness(feed, { target, credential })
  feed.close()
  if (served === undefined) judge.inconclusive(rule, MUTE, feed.evidence())
  else judge.that(rule, !served, served ? 'synchronize is answered' : describeRefusal(feed), feed.evidence())
}

/** Joins busy rooms without a word of who it is: neither an answer nor an event may come, while a witness gets both. */
export const strangers: Probe = {
  rules: ['ws.auth.required'],
  world: 'feed',
  run: judgeStranger,
}

async function judgeStranger(target: Target, judge: Judge): Promise<void> {
  const rule = 'ws.auth.required'
  const credential = await readCredential(target)
  const rooms = (await busyPools(target)).slice(0, 8).map((key) => `pool_stats:${key}`)
  const feed = await openFeed(target)
  for (const room of rooms) feed.send({ action: 'subscribe', room })
  const witness = await openServedFeed(target, credential, rooms)
  const events = (one: Feed) => one.received.filter(isRoomEvent).length
  const went = await chainGoesOn(target, {
    done: () => events(witness) > 2,
    blocksMax: 100,
    waitMsMax: 20_000,
  })
  const served = await isServedBesideWitness(feed, { target, credential })
  witness.close()
  feed.close()
  if (served || events(feed) > 0) {
    const seen = `${events(feed)} events, ${served ? 'and synchronize is answered' : 'no answer to synchronize'}`
    judge.fail(rule, seen, feed.evidence())
  } else if (served === undefined) judge.inconclusive(rule, MUTE, feed.evidence())
  else if (!went) judge.inconclusive(rule, 'the witness got no events either')
  else judge.pass(rule, `${describeRefusal(feed)}, no event while a witness got ${events(witness)}`)
}

function describeRefusal(feed: Feed): string {
  const closed = feed.closed()
  return closed ? `closed with ${closed.code}` : 'synchronize is not answered'
}

async function judgeSizes(target: Target, judge: Judge): Promise<void> {
  const credential = await readCredential(target)
  for (const { rule, bytes, expected } of [
    { rule: 'ws.frame.2000-accepted', bytes: 2000, expected: true },
    { rule: 'ws.frame.over-2048-refused', bytes: 2100, expected: false },
  ]) {
    const feed = await openServedFeed(target, credential, [])
    // White space after the object is JSON, and makes the frame as long as wanted.
    const frame = '{"action":"synchronize"}'.padEnd(bytes, ' ')
    const acted = await isServedBesideWitness(feed, { target, credential, frame })
    feed.close()
    const evidence = feed.evidence().map((line) => line.replace(/ {20,}/g, ' (spaces) '))
    if (acted === undefined) judge.inconclusive(rule, MUTE, evidence)
    else {
      const seen = `a frame of ${bytes} bytes is ${acted ? 'acted on' : 'not acted on'}`
      judge.that(rule, acted === expected, seen, evidence)
    }
  }
}
