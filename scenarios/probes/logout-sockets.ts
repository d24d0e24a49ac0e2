import type { Target } from '../../contract/scenario-config.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import {
  isLost,
  isServed,
  isServedWithWitness,
  openServedFeed,
  takeTicket,
  tryTwice,
} from '../lib/feed/served-feed.ts'
import { getCredential, logoutSpec, type Session, withSession } from '../lib/identity/session.ts'
import { isSuccess, request } from '../lib/requests/request.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { nowMs } from '../lib/world/control.ts'

/** A socket of a session, and tickets that it has not used: one for each try. */
type Kept = { feed: Feed; tickets: string[]; takenAtMs: number }

/** Tickets last 60 s: the checks may take 20 s. */
const AGE_MS_MAX = 40_000
const TICKETS = 4
/** RFC 6455 registry: going away, internal error, try again later. A server may close any socket with these. */
const MAINTENANCE_CODES = [1001, 1011, 1013]

export async function keepSocket(target: Target, session: Session): Promise<Kept> {
  const credential = getCredential(session)
  const takenAtMs = await nowMs(target)
  const feed = await openServedFeed(target, credential, [])
  const tickets: string[] = []
  for (let count = 0; count < TICKETS; count++) tickets.push((await takeTicket(target, credential)).ticket)
  return { feed, tickets, takenAtMs }
}

/**
 * Fails the rule if the logout of another session of the wallet has ended the socket of `session`, or its unused tickets, and so
 * does the logout of a third one, while a new ticket of `session` is served. Passes nothing.
 */
export async function judgeKept(
  target: Target,
  judge: Judge,
  { rule, session, kept }: { rule: string; session: Session; kept: Kept },
): Promise<void> {
  await unlessCannot(async () => {
    const first = await findEnded(target, session, kept)
    if (first === undefined) return
    await withSession(target, session.wallet, async (another) => {
      const again = await keepSocket(target, session)
      if (!isSuccess(await request(target, logoutSpec(another)))) return
      const second = await findEnded(target, session, again)
      if (second?.what !== first.what) return
      const seen = `${first.what} of another session of the wallet ends too, twice, while a new ticket is served`
      judge.fail(rule, seen, [...first.evidence, ...second.evidence])
    })
  })
}

type Ended = { what: string; evidence: string[] }

/** Tickets first, which takes longer: a gateway may learn of the logout a little later. Closes the socket. */
async function findEnded(target: Target, session: Session, kept: Kept): Promise<Ended | undefined> {
  try {
    return (await findRefused(target, session, kept)) ?? (await findClosed(target, session, kept))
  } finally {
    kept.feed.close()
  }
}

async function findRefused(target: Target, session: Session, kept: Kept): Promise<Ended | undefined> {
  const { feed, served } = await tryTwice(async (authenticate) => {
    const ticket = kept.tickets.pop()
    if (ticket === undefined) throw new CannotJudge('no ticket is left')
    const feed = await openFeed(target)
    await authenticate(feed, ticket)
    return { feed, served: await isServed(feed) }
  })
  const ended = served ? undefined : await confirmEnded(target, session, { kept, feed })
  feed.close()
  return ended && { ...ended, what: 'an unused ticket' }
}

async function findClosed(target: Target, session: Session, kept: Kept): Promise<Ended | undefined> {
  const { feed } = kept
  const ended = (await isServed(feed)) ? undefined : await confirmEnded(target, session, { kept, feed })
  return ended && { ...ended, what: 'a socket' }
}

/** Undefined if there may be another reason. The witness has a new ticket of the same session. */
async function confirmEnded(
  target: Target,
  session: Session,
  { kept, feed }: { kept: Kept; feed: Feed },
): Promise<Omit<Ended, 'what'> | undefined> {
  const served = await isServedWithWitness(feed, { target, credential: getCredential(session) })
  const isMaintained = MAINTENANCE_CODES.includes(feed.closed()?.code ?? 0)
  const isOld = (await nowMs(target)) - kept.takenAtMs > AGE_MS_MAX
  if (served !== false || isLost(feed) || isMaintained || isOld) return undefined
  return { evidence: feed.evidence() }
}
