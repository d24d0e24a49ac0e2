import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/credential.ts'
import {
  type Feed,
  isServed,
  isServedAfterAll,
  MUTE,
  openFeed,
  openServedFeed,
  takeTicket,
} from '../lib/feed.ts'
import type { Judge } from '../lib/judge.ts'
import type { Probe } from '../lib/probe.ts'
import { signIn } from '../lib/session.ts'
import { walletFor } from '../lib/wallet.ts'

/** Who is served on the socket, and who is not. */
export const feedAccess: Probe = {
  rules: [
    'ws.auth.ticket',
    'ws.sync.answered',
    'ws.auth.required',
    'ws.auth.rejects-api-token',
    'ws.auth.rejects-session-token',
    'ws.frame.2000-accepted',
    'ws.frame.over-2048-refused',
  ],
  world: 'feed',
  async run(target, judge) {
    const credential = await readCredential(target)
    const { ticket } = await takeTicket(target, credential)
    const feed = await openFeed(target)
    feed.send({ action: 'authenticate', token: ticket })
    const served = await isServed(feed)
    const seen = served ? 'synchronize is answered' : 'synchronize is not answered'
    judge.that('ws.auth.ticket', served, seen, feed.evidence())
    judge.that('ws.sync.answered', served, seen, feed.evidence())
    feed.close()
    if (!served) return

    await judgeRefused(target, judge, { rule: 'ws.auth.required', token: undefined })
    const [apiToken] = target.apiTokens
    if (apiToken === undefined) judge.skip('ws.auth.rejects-api-token', 'needs an API token')
    else await judgeRefused(target, judge, { rule: 'ws.auth.rejects-api-token', token: apiToken })
    await judgeSizes(target, judge)
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
  const session = await signIn(target, walletFor(target, 'feed'))
  const token = session.cookies.get(name)
  if (token === undefined) judge.inconclusive(rule, `sign-in set no cookie ${name}`)
  else await judgeRefused(target, judge, { rule, token })
}

/** Sends what must not open the feed, asks to be served, and looks whether a witness is while this socket is not. */
async function judgeRefused(
  target: Target,
  judge: Judge,
  { rule, token }: { rule: string; token: string | undefined },
): Promise<void> {
  const feed = await openFeed(target)
  if (token !== undefined) feed.send({ action: 'authenticate', token })
  const served = await isServedAfterAll(feed)
  feed.close()
  if (served === undefined) judge.inconclusive(rule, MUTE, feed.evidence())
  else judge.that(rule, !served, served ? 'synchronize is answered' : describeRefusal(feed), feed.evidence())
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
    const acted = await isServedAfterAll(feed, '{"action":"synchronize"}'.padEnd(bytes, ' '))
    feed.close()
    const evidence = feed.evidence().map((line) => line.replace(/ {20,}/g, ' (spaces) '))
    if (acted === undefined) judge.inconclusive(rule, MUTE, evidence)
    else {
      const seen = `a frame of ${bytes} bytes is ${acted ? 'acted on' : 'not acted on'}`
      judge.that(rule, acted === expected, seen, evidence)
    }
  }
}
