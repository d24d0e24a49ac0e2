import type { Target } from '../../contract/scenario-config.ts'
import { config } from '../lib/config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  authenticate,
  authenticatePatiently,
  isServed,
  mustServe,
  takeTicket,
  throwIfRestarted,
  tryTwice,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { endSession, getCredential, type Session, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { pause } from '../lib/time/pause.ts'
import {
  CannotJudge,
  holdPasses,
  type Judge,
  reportFailuresOnly,
  unlessCannot,
} from '../lib/verdict/judge.ts'
import { judgeLongLived } from './feed-long-lived.ts'
import {
  type Age,
  judgeEnd,
  judgeExpiry,
  judgeRenewal,
  OLD_MS,
  openAuthenticated,
  startAge,
  YOUNG_MS,
  YOUNG_MS_MAX,
} from './feed-ticket-checks.ts'

/** Other probes may take their turns to sign in with the same wallet: the timeline does not wait for them. */
const SIGN_IN_MS_MAX = 10_000
/** Shorter than usual, so that the ticket of a second try is still young. */
const YOUNG_RESPONSE_MS = 3000

/** The 60 s of a ticket, on one timeline: unused, in use, and in use with a renewal. */
export const tickets: Probe = {
  rules: ['ws.ticket.lives-60s', 'ws.ticket.expires-60s', 'ws.ticket.ends-connection', 'ws.ticket.renewal'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const { held, release } = holdPasses(judge)
    const session = await signInToo(target, credential)
    try {
      await judgeTickets(target, held, { credential, session })
    } finally {
      release()
      if (session) await endSession(target, session)
    }
  },
}

/** Signs in, if the other credential is an API token: a server may give tickets of sessions another life. */
async function signInToo(target: Target, credential: Credential): Promise<Session | undefined> {
  if (!('bearer' in credential) || config.refuses.writes !== null) return undefined
  return ifPossible(async () => {
    const signingIn = signIn(target, walletFor(target, 'feed'))
    const session = await Promise.race([signingIn, pause(SIGN_IN_MS_MAX).then(() => undefined)])
    if (session === undefined) signingIn.then((late) => endSession(target, late)).catch(() => undefined)
    return session
  })
}

async function ifPossible<Made>(make: () => Promise<Made>): Promise<Made | undefined> {
  const made: Made[] = []
  await unlessCannot(async () => void made.push(await make()))
  return made[0]
}

async function judgeTickets(
  target: Target,
  judge: Judge,
  { credential, session }: { credential: Credential; session: Session | undefined },
): Promise<void> {
  const ticket = async () => (await takeTicket(target, credential)).ticket
  const open = async () => openAuthenticated(target, await ticket())
  const age = startAge(target)
  const mine = await takeTickets(target, credential)
  const others = session && (await ifPossible(() => takeTickets(target, getCredential(session))))
  const [renewed, misled] = [await open(), await open()]
  const isLong = hasControl(target) || config.slow
  const twice = isLong ? await open() : undefined

  await age.until(YOUNG_MS)
  const wasOpen = isOpen(mine.idle)
  const idle = others && isOpen(others.idle) ? others.idle : undefined
  const stale = isLong ? await open() : undefined
  const [renewal, second] = [await ticket(), twice && (await ticket())]
  const renewedAtMs = age.ms()
  const secret = secretOf(target, credential)
  const added = reportFailuresOnly(judge)
  const renewing = [
    authenticate(renewed, renewal),
    authenticate(misled, secret),
    twice && authenticate(twice, second ?? ''),
    others && unlessCannot(async () => void (await judgeYoung(target, added, { ...others, age }))),
  ]
  const feed = await judgeYoung(target, judge, { ...mine, age })
  await Promise.all(renewing)
  // Tickets taken after others must also last 60 s: checked if the clock can be moved.
  const later = hasControl(target) ? { old: await several(ticket), inUse: await open() } : undefined

  await age.until(OLD_MS)
  let isRenewed = false
  // Run separately: a gateway restart that leaves one inconclusive says nothing about the others.
  const ends = await Promise.allSettled([
    wasOpen
      ? judgeEnd(judge, mine.idle)
      : judge.inconclusive('ws.ticket.ends-connection', 'closed before 50 s', mine.idle.evidence()),
    // A connection ends with its ticket, however late it authenticated.
    feed && judgeEnd(judge, feed, 'when its ticket was 75 s old'),
    judgeRenewal(target, judge, { credential, renewed, renewedAtMs, stays: isLong }).then((served) => {
      isRenewed = served
    }),
    judgeMisled(target, judge, { misled, secret }),
    judgeExpiry(target, judge, { credential, old: mine.old }),
    idle && unlessCannot(() => judgeEnd(added, idle, 'after 75 s, with a ticket of a session')),
    others && unlessCannot(() => judgeExpiry(target, added, others)),
  ])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (twice && stale) {
    const sockets = { renewed: isRenewed ? renewed : undefined, twice, stale }
    await judgeLongLived(target, added, {
      ...sockets,
      credential,
      age,
      renewedAtMs,
      expired: mine.young.pop(),
    })
  }
  if (later === undefined) return
  await age.until(YOUNG_MS + OLD_MS)
  await Promise.all([
    judgeEnd(judge, later.inUse),
    judgeExpiry(target, judge, { credential, old: later.old }),
  ])
}

function isOpen(feed: Feed): boolean {
  return feed.closed() === undefined
}

/** Tickets of one credential, to use when they are young and old, and a socket that is never renewed. */
type Taken = { credential: Credential; young: string[]; old: string[]; idle: Feed }

async function takeTickets(target: Target, credential: Credential): Promise<Taken> {
  const ticket = async () => (await takeTicket(target, credential)).ticket
  const [young, old] = [await several(ticket), await several(ticket)]
  return { credential, young, old, idle: await openAuthenticated(target, await ticket()) }
}

/** Enough for sockets that are lost. */
async function several(ticket: () => Promise<string>): Promise<string[]> {
  return [await ticket(), await ticket(), await ticket(), await ticket()]
}

/** Returns the socket if the ticket authenticates it. */
export async function judgeYoung(
  target: Target,
  judge: Judge,
  { credential, young, age }: { credential: Credential; young: string[]; age: Pick<Age, 'ms'> },
): Promise<Feed | undefined> {
  const rule = 'ws.ticket.lives-60s'
  const { feed, ageMs, served } = await tryTwice(async (authenticate) => {
    const ticket = young.pop()
    if (ticket === undefined) throw new CannotJudge('no young ticket is left')
    const feed = await openFeed(target)
    const ageMs = age.ms()
    await authenticate(feed, ticket)
    return { feed, ageMs, served: await isServed(feed, YOUNG_RESPONSE_MS) }
  })
  if (served) {
    judge.pass(rule, 'authenticates after 50 s')
    return feed
  }
  feed.close()
  if (ageMs > YOUNG_MS_MAX) judge.inconclusive(rule, `the ticket was ${ageMs} ms old by then`)
  else {
    await mustServe(target, credential)
    const kind = 'bearer' in credential ? 'an API token' : 'a session'
    judge.fail(rule, `a ticket of ${kind} does not authenticate after 50 s`, feed.evidence())
  }
  return undefined
}

/** A credential that is no ticket. */
function secretOf(target: Target, credential: Credential): string {
  if ('bearer' in credential) return credential.bearer
  const { access } = target.profile.choices.cookies
  const cookies = new Map(credential.cookie.split('; ').map((one) => splitAt(one, one.indexOf('='))))
  return cookies.get(access ?? '') ?? credential.cookie
}

function splitAt(text: string, at: number): [string, string] {
  return [text.slice(0, at), text.slice(at + 1)]
}

/**
 * Only tickets are valid renewals: after anything else the connection ends, at once or with its ticket. If a new socket takes it
 * for a ticket too, other rules say so.
 */
async function judgeMisled(
  target: Target,
  judge: Judge,
  { misled, secret }: { misled: Feed; secret: string },
): Promise<void> {
  await misled.until(() => false, 2000)
  throwIfRestarted(misled)
  if (misled.closed() === undefined) {
    const fresh = await openFeed(target)
    await authenticatePatiently(fresh, secret)
    const seen = 'still open after 75 s, renewed with a credential that is no ticket'
    if (!(await isServed(fresh))) judge.fail('ws.ticket.ends-connection', seen, misled.evidence())
    fresh.close()
  }
  misled.close()
}
