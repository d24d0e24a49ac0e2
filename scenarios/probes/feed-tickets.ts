import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  areServedWithWitness,
  authenticate,
  authenticatePatiently,
  isLost,
  isServed,
  isServedWithWitness,
  LOST,
  mustServe,
  takeTicket,
  throwIfRestarted,
  tryTwice,
  UNRESPONSIVE,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { getCredential, withSession } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { createRetryCheck } from '../lib/probe/retry-check.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, CannotProbe, holdPasses, type Judge } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeMisled, secretOf } from './feed-false-renewal.ts'

/** Tickets last 60 s: probed 10 s before and 15 s after, to allow for clocks and latency. */
const YOUNG_MS = 50_000
const OLD_MS = 75_000
/** Maximum actual age, by this machine's clock, of a young ticket. */
const YOUNG_MS_MAX = 55_000
/** Shorter than usual, so that the ticket of a second try is still young. */
const YOUNG_RESPONSE_MS = 3000

/** The 60 s of a ticket, on one timeline: unused, in use, and in use with a renewal. */
export const tickets: Probe = {
  rules: ['ws.ticket.lives-60s', 'ws.ticket.expires-60s', 'ws.ticket.ends-connection', 'ws.ticket.renewal'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const ticket = async () => (await takeTicket(target, credential)).ticket
    const age = startAge(target)
    const [young, old] = [await several(ticket), await several(ticket)]
    const idle = await openAuthenticated(target, await ticket())
    const renewed = await openAuthenticated(target, await ticket())
    const misled = await openAuthenticated(target, await ticket())

    await age.until(YOUNG_MS)
    const isIdle = idle.closed() === undefined
    const renewal = await ticket()
    const renewedAtMs = age.ms()
    const secret = secretOf(target, credential)
    const renewing = Promise.all([authenticate(renewed, renewal), authenticate(misled, secret)])
    const {
      feed,
      ageMs,
      served: works,
    } = await tryTwice(async (authenticate) => {
      const feed = await openFeed(target)
      const ageMs = age.ms()
      await authenticate(feed, young.pop() ?? '')
      return { feed, ageMs, served: await isServed(feed, YOUNG_RESPONSE_MS) }
    })
    if (!works) feed.close()
    if (works) judge.pass('ws.ticket.lives-60s', 'authenticates after 50 s')
    else if (ageMs > YOUNG_MS_MAX)
      judge.inconclusive('ws.ticket.lives-60s', `the ticket was ${ageMs} ms old by then`)
    else {
      await mustServe(target, credential)
      judge.fail('ws.ticket.lives-60s', 'does not authenticate after 50 s', feed.evidence())
    }
    await renewing
    // Tickets taken after others must also last 60 s: checked if the clock can be moved.
    const later = hasControl(target)
      ? { old: await several(ticket), inUse: await openAuthenticated(target, await ticket()) }
      : undefined

    await age.until(OLD_MS)
    // Run separately: a gateway restart that leaves one inconclusive says nothing about the others.
    const { held, release } = holdPasses(judge)
    const ends = await Promise.allSettled([
      isIdle
        ? judgeEnd(held, idle)
        : judge.inconclusive('ws.ticket.ends-connection', 'closed before 50 s', idle.evidence()),
      // A connection ends with its ticket, however late it authenticated.
      works ? judgeEnd(held, feed, 'when its ticket was 75 s old') : undefined,
      judgeRenewal(target, judge, { credential, renewed, renewedAtMs }),
      judgeMisled(target, held, { misled, secret }),
      judgeExpiry(target, held, { credential, old }),
    ])
    try {
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      if (later === undefined) return
      await age.until(YOUNG_MS + OLD_MS)
      await Promise.all([
        judgeEnd(held, later.inUse),
        judgeExpiry(target, held, { credential, old: later.old }),
      ])
    } finally {
      later?.inUse.close()
      release()
    }
  },
}

async function several(ticket: () => Promise<string>): Promise<string[]> {
  return [await ticket(), await ticket(), await ticket(), await ticket()]
}

/** After a gateway restart, tries another of the old tickets, since the probe takes too long to run again. */
export async function judgeExpiry(
  target: Target,
  judge: Judge,
  { credential, old }: { credential: Credential; old: readonly string[] },
): Promise<void> {
  const again = createRetryCheck(target)
  for (const ticket of old) {
    try {
      return await judgeRefusal(target, judge, { credential, ticket })
    } catch (error) {
      if (!(error instanceof CannotJudge) || !again()) throw error
    }
  }
}

async function judgeRefusal(
  target: Target,
  judge: Judge,
  { credential, ticket }: { credential: Credential; ticket: string },
): Promise<void> {
  const late = await openFeed(target)
  await authenticatePatiently(late, ticket)
  const served = await isServedWithWitness(late, { target, credential })
  late.close()
  throwIfRestarted(late)
  if (served === undefined) judge.inconclusive('ws.ticket.expires-60s', UNRESPONSIVE, late.evidence())
  const seen = served ? 'authenticates after 75 s' : 'refused after 75 s'
  judge.that('ws.ticket.expires-60s', !served, seen, late.evidence())
}

/** The age of tickets taken now, by the target's clock if it can be moved, else by this machine's. */
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

export async function judgeEnd(judge: Judge, idle: Feed, when = 'after 75 s'): Promise<void> {
  await idle.until(() => false, 2000)
  throwIfRestarted(idle)
  const closed = idle.closed()
  const ended = closed ? `closed with ${closed.code}` : `still open ${when}`
  judge.that('ws.ticket.ends-connection', closed !== undefined, ended, idle.evidence())
  idle.close()
}

export async function judgeRenewal(
  target: Target,
  judge: Judge,
  { credential, renewed, renewedAtMs }: { credential: Credential; renewed: Feed; renewedAtMs: number },
): Promise<void> {
  const served = await isServed(renewed)
  if (served) judge.pass('ws.ticket.renewal', 'served at 75 s')
  else if (isLost(renewed)) judge.inconclusive('ws.ticket.renewal', LOST, renewed.evidence())
  else if (renewedAtMs > YOUNG_MS_MAX)
    judge.inconclusive('ws.ticket.renewal', `renewed only at ${renewedAtMs} ms`)
  else {
    await mustServe(target, credential)
    judge.fail('ws.ticket.renewal', 'not served at 75 s', renewed.evidence())
  }
  renewed.close()
}

/** Renews with another wallet's ticket, which does not count. A socket without a renewal is the witness. */
export const renewalByAnother: Probe = {
  rules: ['ws.ticket.renewal-other-principal'],
  world: 'clock',
  async run(target, judge) {
    const rule = 'ws.ticket.renewal-other-principal'
    const [mine, other] = [walletFor(target, 'feed'), walletFor(target, 'renewalOther')]
    if (mine.address === other.address) throw new CannotProbe('needs two wallets with access', 'wallets')
    await withSession(target, other, (otherSession) =>
      withSession(target, mine, async (session) => {
        const credential = getCredential(session)
        const open = async () => openAuthenticated(target, (await takeTicket(target, credential)).ticket)
        const age = startAge(target)
        const [feed, idle] = await Promise.all([open(), open()])
        await age.until(YOUNG_MS)
        if (feed.closed()) throw new CannotJudge('closed before 50 s')
        await authenticate(feed, (await takeTicket(target, getCredential(otherSession))).ticket)
        await age.until(OLD_MS)
        const served = await isServedWithWitness(feed, { target, credential })
        const [closed, idleClosed] = [feed.closed(), idle.closed()]
        feed.close()
        idle.close()
        if (served === undefined) return judge.inconclusive(rule, UNRESPONSIVE, feed.evidence())
        if (served && !idleClosed) {
          return judge.inconclusive(rule, 'a socket without any renewal stays open too', idle.evidence())
        }
        const seen = served ? 'served at 75 s' : closed ? `closed with ${closed.code}` : 'not served'
        judge.that(rule, !served, seen, feed.evidence())
      }),
    )
  },
}

export const authenticateDeadline: Probe = {
  rules: ['ws.auth.within-5s', 'ws.auth.deadline-5s'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const {
      feed: prompt,
      passed,
      served,
    } = await tryTwice(async (authenticate) => {
      const { ticket } = await takeTicket(target, credential)
      const feed = await openFeed(target)
      const passed = await elapse(target, 4000)
      await authenticate(feed, ticket)
      return { feed, passed, served: await isServed(feed) }
    })
    prompt.close()
    if (served) judge.pass('ws.auth.within-5s', 'served')
    else if (passed > 4500) judge.inconclusive('ws.auth.within-5s', `the wait took ${passed} ms`)
    else {
      await mustServe(target, credential)
      judge.fail('ws.auth.within-5s', 'not served', prompt.evidence())
    }

    await judgeTardy(target, judge, credential)
  },
}

/** Authenticates after 10 s: a socket that was silent until then, and one that had sent another frame every 3 s. */
async function judgeTardy(target: Target, judge: Judge, credential: Credential): Promise<void> {
  const rule = 'ws.auth.deadline-5s'
  const [silent, busy] = await Promise.all([openFeed(target), openFeed(target)])
  for (let frame = 0; frame < 2; frame++) {
    await elapse(target, 3000)
    busy.send({ action: 'synchronize' })
    await busy.settled(SETTLE_MS)
  }
  await elapse(target, 4000)
  const feeds = [silent, busy]
  const tokens = await Promise.all(feeds.map(() => takeTicket(target, credential)))
  await Promise.all(feeds.map((feed, index) => authenticatePatiently(feed, tokens[index]?.ticket ?? '')))
  const served = await areServedWithWitness(feeds, { target, credential })
  const ends = feeds.map((feed) => feed.closed())
  for (const feed of feeds) feed.close()
  const late = feeds.find((_, index) => served[index])
  const evidence = feeds.flatMap((feed) => feed.evidence())
  if (late) return judge.fail(rule, late === busy ? 'served, after other frames' : 'served', late.evidence())
  if (served.includes(undefined)) return judge.inconclusive(rule, UNRESPONSIVE, evidence)
  judge.pass(rule, ends.map((end) => (end ? `closed with ${end.code}` : 'not served')).join(', '), evidence)
}

const SETTLE_MS = 1000
