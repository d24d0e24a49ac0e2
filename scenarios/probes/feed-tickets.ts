import type { Target } from '../../contract/scenario-config.ts'
import { elapse } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import { type Feed, isServed, isServedAfterAll, MUTE, openFeed, takeTicket } from '../lib/feed.ts'
import type { Judge } from '../lib/judge.ts'
import type { Probe } from '../lib/probe.ts'

/** Tickets last 60 s: probed 10 s before, and 15 s after, as clocks and networks need slack. */
const YOUNG_MS = 50_000
const OLD_MS = 75_000
/** How much longer than asked a wait may have taken before "young" means nothing any more. */
const LAG_MS_MAX = 5000

/** The 60 seconds of a ticket, on one time line: unused, in use, and in use with a renewal. */
export const tickets: Probe = {
  rules: ['ws.ticket.lives-60s', 'ws.ticket.expires-60s', 'ws.ticket.ends-connection', 'ws.ticket.renewal'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const ticket = async () => (await takeTicket(target, credential)).ticket
    const [young, old] = [await ticket(), await ticket()]
    const idle = await openAuthenticated(target, await ticket())
    const renewed = await openAuthenticated(target, await ticket())

    const passed = await elapse(target, YOUNG_MS)
    const feed = await openAuthenticated(target, young)
    const works = await isServed(feed)
    feed.close()
    if (works) judge.pass('ws.ticket.lives-60s', 'authenticates after 50 s')
    else if (passed > YOUNG_MS + LAG_MS_MAX)
      judge.inconclusive('ws.ticket.lives-60s', `the wait took ${passed} ms`)
    else judge.fail('ws.ticket.lives-60s', 'does not authenticate after 50 s', feed.evidence())
    renewed.send({ action: 'authenticate', token: await ticket() })
    await renewed.settled(3000)

    await elapse(target, OLD_MS - YOUNG_MS)
    await judgeEnds(judge, { idle, renewed })
    const late = await openAuthenticated(target, old)
    const served = await isServedAfterAll(late)
    late.close()
    if (served === undefined) judge.inconclusive('ws.ticket.expires-60s', MUTE, late.evidence())
    const seen = served ? 'authenticates after 75 s' : 'refused after 75 s'
    judge.that('ws.ticket.expires-60s', !served, seen, late.evidence())
  },
}

async function openAuthenticated(target: Target, token: string): Promise<Feed> {
  const feed = await openFeed(target)
  feed.send({ action: 'authenticate', token })
  await feed.settled(3000)
  return feed
}

async function judgeEnds(judge: Judge, { idle, renewed }: { idle: Feed; renewed: Feed }): Promise<void> {
  await idle.until(() => false, 2000)
  const closed = idle.closed()
  const ended = closed ? `closed with ${closed.code}` : 'still open after 75 s'
  judge.that('ws.ticket.ends-connection', closed !== undefined, ended, idle.evidence())
  idle.close()
  const served = await isServed(renewed)
  judge.that(
    'ws.ticket.renewal',
    served,
    served ? 'served at 75 s' : 'not served at 75 s',
    renewed.evidence(),
  )
  renewed.close()
}

/** The 5 seconds in which a socket has to authenticate. */
export const authenticateDeadline: Probe = {
  rules: ['ws.auth.within-5s', 'ws.auth.deadline-5s'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const prompt = await openFeed(target)
    const passed = await elapse(target, 4000)
    prompt.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
    const served = await isServed(prompt)
    prompt.close()
    if (served) judge.pass('ws.auth.within-5s', 'served')
    else if (passed > 4500) judge.inconclusive('ws.auth.within-5s', `the wait took ${passed} ms`)
    else judge.fail('ws.auth.within-5s', 'not served', prompt.evidence())

    const tardy = await openFeed(target)
    await elapse(target, 10_000)
    tardy.send({ action: 'authenticate', token: (await takeTicket(target, credential)).ticket })
    const works = await isServedAfterAll(tardy)
    const closed = tardy.closed()
    tardy.close()
    if (works === undefined) judge.inconclusive('ws.auth.deadline-5s', MUTE, tardy.evidence())
    const seen = works ? 'served' : closed ? `closed with ${closed.code}` : 'not served'
    judge.that('ws.auth.deadline-5s', !works, seen, tardy.evidence())
  },
}
