import type { Target } from '../../contract/scenario-config.ts'
import { config } from '../lib/config.ts'
import type { Feed } from '../lib/feed/feed.ts'
import {
  authenticate,
  isLost,
  LOST,
  LostRepeatedly,
  RESTART_CODE,
  takeTicket,
} from '../lib/feed/served-feed.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { endSession, getCredential, type Session } from '../lib/identity/session.ts'
import { signInToo } from '../lib/identity/sign-in-too.ts'
import type { Probe } from '../lib/probe/probe.ts'
import type { Credential } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import {
  CannotJudge,
  holdPasses,
  ifPossible,
  type Judge,
  reportFailuresOnly,
  unlessCannot,
} from '../lib/verdict/judge.ts'
import { joinLasting, joinSome } from './feed-kept-rooms.ts'
import { judgeOthers, openRefusedOnce, renewOthers } from './feed-other-renewals.ts'
import { judgeCuts, judgeLongLived, WITH_FIRST_TICKET } from './feed-renewals.ts'
import {
  type Age,
  judgeEnd,
  judgeExpiry,
  judgeMisled,
  judgeRenewal,
  judgeYoung,
  OLD_MS,
  openAuthenticated,
  secretOf,
  startAge,
  type Taken,
  YOUNG_MS,
} from './feed-ticket-checks.ts'

/** A slower start would leave a renewal too little time before the ends of the last tickets are judged. */
const TAKEN_MS_MAX = 25_000
/** A server that shares tickets for a while gives one of an earlier request. */
const SOON_MS = 15_000
/** Age of the first of several tickets that are tried within 10 s, while all are young. */
const CONFIRM_MS = 45_000

/** The 60 s of a ticket, on one timeline: unused, in use, and in use with a renewal. */
export const tickets: Probe = {
  rules: ['ws.ticket.lives-60s', 'ws.ticket.expires-60s', 'ws.ticket.ends-connection', 'ws.ticket.renewal'],
  world: 'clock',
  async run(target, judge) {
    const credential = await readCredential(target)
    const { held, release } = holdPasses(judge)
    const session = await signInToo(target, credential)
    const lasting = await ifPossible(() => joinLasting(target, credential))
    try {
      await judgeTickets(target, held, { credential, session, renew: async () => lasting?.renew() })
    } finally {
      release()
      // Last, because it may move the clock.
      if (lasting) await unlessCannot(() => lasting.end())
      if (session) await endSession(target, session)
    }
  },
}

type Timeline = {
  credential: Credential
  session: Session | undefined
  /** Renews what is watched for longer. */
  renew: () => Promise<void>
}

async function judgeTickets(
  target: Target,
  judge: Judge,
  { credential, session, renew }: Timeline,
): Promise<void> {
  const ticket = async () => (await takeTicket(target, credential)).ticket
  const open = async () => openAuthenticated(target, await ticket())
  const age = startAge(target)
  const mine = await takeTickets(target, credential, age)
  if (mine.takenMs > TAKEN_MS_MAX) throw new CannotJudge(`tickets were issued over ${mine.takenMs} ms`)
  const theirs = session && (await ifPossible(() => takeTickets(target, getCredential(session), age)))
  const others = theirs && { ...theirs, session }
  // A connection ends with its ticket also if it has rooms.
  if (others) await unlessCannot(() => joinSome(target, others.idle))
  const { renewed } = mine
  const isLong = hasControl(target) || config.slow
  const twice = isLong ? await open() : undefined
  const resent = { feed: await open(), ticket: await ticket() }
  const takenMs = age.ms()
  const refusedOnce = await ifPossible(() => openRefusedOnce(target, { credential, age }))

  await age.until(SOON_MS)
  refusedOnce?.refuse()
  const soonMs = age.ms()
  const soon = await ifPossible(async () => [...(await several(ticket)), await ticket()])
  await age.until(YOUNG_MS)
  if (isLost(mine.idle) && isLost(renewed)) return await judgeLost(target, judge, { mine, age })
  const wasOpen = mine.idle.closed() === undefined
  const stale = isLong ? await open() : undefined
  const [renewal, second] = [await ticket(), twice && (await ticket())]
  const renewedAtMs = age.ms()
  const added = reportFailuresOnly(judge)
  const renewing = [
    authenticate(renewed, renewal),
    authenticate(mine.misled, mine.secret),
    authenticate(resent.feed, resent.ticket),
    twice && authenticate(twice, second ?? ''),
    unlessCannot(renew),
    refusedOnce?.renew(),
    others && authenticate(others.misled, others.secret),
    // Before the session is refreshed.
    others &&
      unlessCannot(async () => void (await judgeYoung(target, added, { ...others, age }))).then(() =>
        renewOthers(target, others, age),
      ),
  ]
  let lost: LostRepeatedly | undefined
  const feed = await judgeYoung(target, judge, { ...mine, age }).catch((error: unknown) => {
    if (!(error instanceof LostRepeatedly)) throw error
    lost = error
    return undefined
  })
  await Promise.all(renewing)
  // Tickets taken after others must also last 60 s: checked if the clock can be moved.
  const later = hasControl(target) ? { old: await several(ticket), inUse: await open() } : undefined
  const laterMs = age.ms()

  await age.until(soonMs + (lost && !hasControl(target) ? CONFIRM_MS : YOUNG_MS))
  if (soon) {
    const then = { ms: () => age.ms() - soonMs }
    await unlessCannot(async () => {
      const confirms = lost !== undefined
      const late = await judgeYoung(target, added, { credential, young: soon, age: then, confirms })
      late?.close()
    })
  }
  if (lost) judge.inconclusive('ws.ticket.lives-60s', lost.message)

  await age.until(mine.takenMs + OLD_MS)
  let isRenewed = false
  // A renewal without effect: all end with their first tickets.
  const isCut = [mine, others].every((taken) => taken === undefined || isCutOff(taken.renewed))
  // Run separately: a gateway restart that leaves one inconclusive says nothing about the others.
  const ends = await Promise.allSettled([
    wasOpen
      ? judgeEnd(judge, mine.idle)
      : judge.inconclusive('ws.ticket.ends-connection', 'closed before 50 s', mine.idle.evidence()),
    // A connection ends with its ticket, however late it authenticated.
    feed && judgeEnd(judge, feed, 'when its ticket was 75 s old'),
    !isCut &&
      judgeRenewal(target, judge, { credential, renewed, renewedAtMs, stays: isLong }).then((served) => {
        isRenewed = served
      }),
    judgeExpiry(target, judge, { credential, old: mine.old }),
    unlessCannot(renew),
  ])
  await age.until(takenMs + OLD_MS)
  const lateEnds = await Promise.allSettled([
    judgeMisled(target, judge, mine),
    refusedOnce?.judge(added),
    takenMs <= TAKEN_MS_MAX &&
      unlessCannot(() => judgeEnd(added, resent.feed, 'after 75 s, renewed with a ticket of the same age')),
    others && takenMs <= TAKEN_MS_MAX && judgeOthers(target, added, others),
  ])
  for (const end of [...ends, ...lateEnds]) if (end.status === 'rejected') throw end.reason
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
  if (later) {
    await age.until(laterMs + OLD_MS)
    await Promise.all([
      judgeEnd(judge, later.inUse),
      judgeExpiry(target, judge, { credential, old: later.old }),
    ])
  }
  if (isCut) await judgeCuts(target, judge, { credential, lost: renewed, ...WITH_FIRST_TICKET })
}

/** Lost, and not for a restart. */
function isCutOff(feed: Feed): boolean {
  return isLost(feed) && feed.closed()?.code !== RESTART_CODE
}

/**
 * Judges the tickets, and why sockets are lost before they are renewed. Two more sockets with tickets of the same age need to live
 * 25 s only: one is renewed.
 */
export async function judgeLost(
  target: Target,
  judge: Judge,
  { mine, age }: { mine: Taken; age: Age },
): Promise<void> {
  const { credential } = mine
  const idle = await ifPossible(() => judgeYoung(target, judge, { ...mine, age }))
  const added = reportFailuresOnly(judge)
  const renewed = await ifPossible(() => judgeYoung(target, added, { ...mine, age }))
  const renew = async (feed: Feed) => {
    await authenticate(feed, (await takeTicket(target, credential)).ticket)
    return age.ms()
  }
  const renewedAtMs = renewed && (await ifPossible(() => renew(renewed)))
  await age.until(mine.takenMs + OLD_MS)
  await unlessCannot(() => judgeExpiry(target, judge, mine))
  if (idle) await unlessCannot(() => judgeEnd(judge, idle, 'when its ticket was 75 s old'))
  judge.inconclusive('ws.ticket.ends-connection', LOST, mine.idle.evidence())
  const isServed =
    renewed &&
    renewedAtMs !== undefined &&
    !isLost(renewed) &&
    (await ifPossible(() => judgeRenewal(target, judge, { credential, renewed, renewedAtMs })))
  await judgeCuts(target, isServed ? added : judge, { credential, lost: mine.renewed })
}

async function takeTickets(target: Target, credential: Credential, age: Age): Promise<Taken> {
  const ticket = async () => (await takeTicket(target, credential)).ticket
  const open = async () => openAuthenticated(target, await ticket())
  const [young, old] = [await several(ticket), await several(ticket)]
  const [idle, renewed, misled] = [await open(), await open(), await open()]
  const secret = secretOf(target, credential)
  return { credential, young, old, idle, renewed, misled, secret, takenMs: age.ms() }
}

/** Enough for sockets that are lost. */
async function several(ticket: () => Promise<string>): Promise<string[]> {
  return [await ticket(), await ticket(), await ticket(), await ticket()]
}
