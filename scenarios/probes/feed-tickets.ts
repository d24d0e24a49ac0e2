import type { Target } from '../../contract/scenario-config.ts'
import { elapse, hasControl } from '../lib/control.ts'
import { readCredential } from '../lib/credential.ts'
import { type Feed, openFeed } from '../lib/feed.ts'
import type { Judge } from '../lib/judge.ts'
import type { Probe } from '../lib/probe.ts'
import { authenticate, isServed, isServedBesideWitness, MUTE, takeTicket } from '../lib/served-feed.ts'

/** Tickets last 60 s: probed 10 s before, and 15 s after, as clocks and networks need slack. */
const YOUNG_MS = 50_000
const OLD_MS = 75_000
/** How old a ticket may be in truth, by this machine's clock, to be called young. */
const YOUNG_MS_MAX = 55_000

/** The 60 seconds of a ticket, on one time line: unused, in use, and in use with a renewal. */
export const tickets: Probe = {
  rules: ['ws.ticket.lives-60s', 'ws.ticket.expires-60s', 'ws.ticket.ends-connection', 'ws.ticket.renewal'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const ticket = async () => (await takeTicket(target, credential)).ticket
    const age = startAge(target)
    const [young, old] = [await ticket(), await ticket()]
    const idle = await openAuthenticated(target, await ticket())
    const renewed = await openAuthenticated(target, await ticket())

    await age.until(YOUNG_MS)
    const renewal = await ticket()
    await authenticate(renewed, renewal)
    const feed = await openAuthenticated(target, young)
    const ageMs = age.ms()
    const works = await isServed(feed)
    feed.close()
    if (works) judge.pass('ws.ticket.lives-60s', 'authenticates after 50 s')
    else if (ageMs > YOUNG_MS_MAX) judge.inconclusive('ws.ticket.lives-60s', `it was ${ageMs} ms old by then`)
    else judge.fail('ws.ticket.lives-60s', 'does not authenticate after 50 s', feed.evidence())

    await age.until(OLD_MS)
    await judgeEnds(judge, { idle, renewed, renewedAtMs: ageMs })
    const late = await openAuthenticated(target, old)
    const served = await isServedBesideWitness(late, { target, credential })
    late.close()
    if (served === undefined) judge.inconclusive('ws.ticket.expires-60s', MUTE, late.evidence())
    const seen = served ? 'authenticates after 75 s' : 'refused after 75 s'
    judge.that('ws.ticket.expires-60s', !served, seen, late.evidence())
  },
}

/** The age of tickets taken now, on the target's clock where it is moved, on this machine's where it is waited for. */
function startAge(target: Target): { ms(): number; until(ms: number): Promise<void> } {
  const startedMs = Date.now()
  let movedMs = 0
  const ms = () => (hasControl(target) ? movedMs : Date.now() - startedMs)
  return {
    ms,
    async until(ageMs) {
      movedMs += await elapse(target, Math.max(0, ageMs - ms()))
    },
  }
}

async function openAuthenticated(target: Target, token: string): Promise<Feed> {
  const feed = await openFeed(target)
  await authenticate(feed, token)
  return feed
}

async function judgeEnds(
  judge: Judge,
  { idle, renewed, renewedAtMs }: { idle: Feed; renewed: Feed; renewedAtMs: number },
): Promise<void> {
  await idle.until(() => false, 2000)
  const closed = idle.closed()
  const ended = closed ? `closed with ${closed.code}` : 'still open after 75 s'
  judge.that('ws.ticket.ends-connection', closed !== undefined, ended, idle.evidence())
  idle.close()
  const served = await isServed(renewed)
  if (served) judge.pass('ws.ticket.renewal', 'served at 75 s')
  else if (renewedAtMs > YOUNG_MS_MAX)
    judge.inconclusive('ws.ticket.renewal', `renewed only at ${renewedAtMs} ms`)
  else judge.fail('ws.ticket.renewal', 'not served at 75 s', renewed.evidence())
  renewed.close()
}

/** The 5 seconds in which a socket has to authenticate. */
export const authenticateDeadline: Probe = {
  rules: ['ws.auth.within-5s', 'ws.auth.deadline-5s'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const { ticket } = await takeTicket(target, credential)
    const prompt = await openFeed(target)
    const passed = await elapse(target, 4000)
    await authenticate(prompt, ticket)
    const served = await isServed(prompt)
    prompt.close()
    if (served) judge.pass('ws.auth.within-5s', 'served')
    else if (passed > 4500) judge.inconclusive('ws.auth.within-5s', `the wait took ${passed} ms`)
    else judge.fail('ws.auth.within-5s', 'not served', prompt.evidence())

    const tardy = await openFeed(target)
    await elapse(target, 10_000)
    await authenticate(tardy, (await takeTicket(target, credential)).ticket)
    const works = await isServedBesideWitness(tardy, { target, credential })
    const closed = tardy.closed()
    tardy.close()
    if (works === undefined) judge.inconclusive('ws.auth.deadline-5s', MUTE, tardy.evidence())
    const seen = works ? 'served' : closed ? `closed with ${closed.code}` : 'not served'
    judge.that('ws.auth.deadline-5s', !works, seen, tardy.evidence())
  },
}
