import { challengeRequest, verifyRequest } from '../../client/session.ts'
import type { Wallet } from '../../contract/profile.ts'
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
import {
  credentialRead,
  endSession,
  getCredential,
  logoutSpec,
  refreshSpec,
  type Session,
  startSession,
  withSession,
} from '../lib/identity/session.ts'
import { beginSignIn } from '../lib/identity/shared-wallets.ts'
import { sign } from '../lib/identity/wallet.ts'
import { pickText } from '../lib/pick.ts'
import { noteProblem } from '../lib/probe/watch-records.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { nowMs } from '../lib/world/control.ts'

const PUBLIC_READS = { 'access.public.pools': '/pools', 'access.public.tokens': '/tokens' }

/**
 * A browser still sends the cookies of a session that ended elsewhere: the sign-in and public reads work with them. A 401 or 403
 * counts if it persists while the same is served without cookies. Nothing is judged once a response has set or deleted one.
 */
export async function judgeEndedCookies(target: Target, ended: Session): Promise<void> {
  const credential = getCredential(ended)
  const names = Object.values(target.profile.choices.cookies)
  const isKept = ({ cookies }: Reply) => !cookies.some(({ name }) => names.includes(name))
  const judge = (rule: string, what: string, send: (by?: Credential) => Promise<Reply>) =>
    unlessCannot(async () => {
      const { outcome, last, explanation } = await confirm<Reply>({
        first: await send(credential),
        describeError: (reply) =>
          [401, 403].includes(reply.status) && isKept(reply) ? String(reply.status) : undefined,
        again: () => send(credential),
        witness: async () => {
          const { status } = await send()
          return { served: isSuccess({ status }), explanation: `without cookies -> ${status}` }
        },
      })
      const seen = `${what} with the cookies of a session that has ended: ${explanation}`
      if (outcome === 'persistent') noteProblem(rule, seen, () => last.evidence())
    })
  await unlessCannot(async () => {
    // After a 401, a browser refreshes.
    for (const spec of [credentialRead(target, credential), refreshSpec(credential)])
      if (!isKept(await request(target, spec))) return
    // Together, because confirming an error takes long.
    await Promise.all([
      ...Object.entries(PUBLIC_READS).map(([rule, path]) =>
        judge(rule, `GET ${path}`, (by) => request(target, { method: 'GET', path, credential: by })),
      ),
      judge('auth.verify.signs-in', 'a sign-in', async (by) => {
        const signedIn = await beginSignIn(target)
        return await signInBy(target, ended.wallet, by).finally(signedIn)
      }),
    ])
  })
}

/** Returns the response to the challenge if that is rejected, else to verify. Ends the session. */
async function signInBy(target: Target, wallet: Wallet, credential: Credential | undefined): Promise<Reply> {
  const challenged = await request(target, { ...challengeRequest(wallet.address), credential })
  const message = pickText(challenged.json, 'data.message')
  if (!isSuccess(challenged) || message === undefined) return challenged
  const signature = await sign(target, wallet, message)
  const body = { address: wallet.address, signature }
  const verified = await request(target, { ...verifyRequest(body), credential })
  if (isSuccess(verified)) await endSession(target, startSession(target, { wallet, verified }))
  return verified
}

/** A socket of a session, and tickets that it has not used: one for each try. */
type Kept = { feed: Feed; tickets: string[]; takenAtMs: number }

/** Tickets last 60 s: the checks may take 20 s. */
const AGE_MS_MAX = 40_000
const TICKETS = 4

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
  const isOld = (await nowMs(target)) - kept.takenAtMs > AGE_MS_MAX
  if (served !== false || isLost(feed) || isOld) return undefined
  return { evidence: feed.evidence() }
}
