import { LIMITS } from '../../contract/limits.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { tryAndRevoke } from '../lib/identity/api-token.ts'
import {
  dropCookie,
  getCredential,
  isAlive,
  mustHaveSentCsrf,
  refresh,
  type Session,
  withSession,
} from '../lib/identity/session.ts'
import { findWrongRefusal, isStillServed } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isSuccess, type Reply } from '../lib/requests/request.ts'
import { CannotJudge, holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { elapseLong, mustBeAbleToWait, nowMs } from '../lib/world/control.ts'
import { readsServedToExpired } from './reads-served.ts'

const MINUTE_MS = 60_000
const LIFE_MS = LIMITS.accessSessionSeconds * 1000
const LIVES = 'auth.session.lives-15-min'
const EXPIRES = 'auth.session.expires-15-min'
const REVIVES = 'auth.refresh.revives'

/** An access session from one minute before its expiry to one after, and its renewal. */
export const sessionLife: Probe = {
  rules: [LIVES, EXPIRES, REVIVES],
  world: 'clock',
  async run(target, judge) {
    mustBeAbleToWait(target, LIFE_MS + MINUTE_MS)
    const wallet = walletFor(target, 'clock')
    await withOthers(target, wallet, async ({ session, atMs }, others) => {
      await elapseLong(target, LIFE_MS - MINUTE_MS)
      // A fresh session for comparison. It stays signed in: a logout may end more than its own session.
      await withSession(target, wallet, async (fresh) => {
        const { refreshed } = others
        await judgeYoung(target, judge, { session, atMs, refreshed, fresh })
        await elapseLong(target, 2 * MINUTE_MS)
        const { held, release } = holdPasses(judge)
        try {
          await judgeOld(target, held, { session, atMs, refreshed, fresh })
          const refusal = await findRefusedWrite(target, { session, fresh })
          await judgeRevival(target, held, { session, fresh, refusal, ...others })
        } finally {
          release()
        }
      })
    })
  },
}

/** Signed in or refreshed after that time, by the clock of the target if it can be read. */
type Renewed = { session: Session; atMs: number }
type Aged = Renewed & { refreshed: Renewed | undefined; fresh: Session }

export async function judgeYoung(
  target: Target,
  judge: Judge,
  { session, atMs, refreshed, fresh }: Aged,
): Promise<void> {
  const witness = getCredential(fresh)
  const young = await isStillServed(target, getCredential(session), { witness })
  const evidence = [young.reply.evidence()]
  if (young.outcome === 'refused' && (await isYoung(target, atMs)))
    judge.fail(LIVES, `ended after 14 minutes: ${young.explanation}`, evidence)
  else if (young.outcome !== 'served')
    judge.inconclusive(LIVES, `not served at first: ${young.explanation}`, evidence)
  if (young.outcome !== 'served') throw new CannotJudge('the session ended before its time')
  if (refreshed) await judgeYoungRefreshed(target, judge, { refreshed, fresh })
  judge.pass(LIVES, 'alive after 14 minutes', evidence)
}

/** Passes nothing. It was refreshed a moment before the wait: one that is refused counts if it is still younger than 15 minutes. */
async function judgeYoungRefreshed(
  target: Target,
  judge: Judge,
  { refreshed, fresh }: { refreshed: Renewed; fresh: Session },
): Promise<void> {
  const { outcome, reply, explanation } = await isStillServed(target, getCredential(refreshed.session), {
    witness: getCredential(fresh),
  })
  if (outcome === 'served') return
  const seen = `ended 14 minutes after a refresh: ${explanation}`
  if (outcome === 'refused' && (await isYoung(target, refreshed.atMs)))
    judge.fail(LIVES, seen, [reply.evidence()])
  else judge.inconclusive(LIVES, `a refreshed session was not served at first: ${explanation}`)
}

/** Requests of a slow target take part of the minute that is left. */
async function isYoung(target: Target, sinceMs: number): Promise<boolean> {
  return (await nowMs(target)) - sinceMs < LIFE_MS
}

export async function judgeOld(
  target: Target,
  judge: Judge,
  { session, refreshed, fresh }: Aged,
): Promise<void> {
  const wrong = await findWrongRefusal(target, getCredential(session), { witness: getCredential(fresh) })
  if (wrong) return judge.fail(EXPIRES, `after 16 minutes: ${wrong.explanation}`, [wrong.reply.evidence()])
  const old = await isAlive(target, getCredential(session))
  if (old.alive) return judge.fail(EXPIRES, 'alive after 16 minutes', [old.reply.evidence()])
  const again = refreshed && (await isAlive(target, getCredential(refreshed.session)))
  if (again?.alive) return judge.fail(EXPIRES, 'alive 16 minutes after a refresh', [again.reply.evidence()])
  const served = await readsServedToExpired(target, session)
  const seen = `ended after 16 minutes; its access cookie then gets ${served.length} reads`
  const evidence = [old.reply, ...served].map((reply) => reply.evidence())
  await judgeExpiredWrite(target, judge, { session, fresh })
  judge.that(EXPIRES, served.length === 0, seen, evidence)
}

/** A change by the expired access cookie alone must not be accepted. A fresh session revokes what it created. Passes nothing. */
export async function judgeExpiredWrite(
  target: Target,
  judge: Judge,
  { session, fresh }: { session: Session; fresh: Session },
): Promise<void> {
  if (session.csrf === undefined) return
  const { access } = target.profile.choices.cookies
  const value = access === null ? undefined : session.cookies.get(access)
  if (value === undefined) return
  const expired = { cookie: `${access}=${value}`, csrf: session.csrf }
  await unlessCannot(async () => {
    const reply = await tryAndRevoke(target, expired, getCredential(fresh))
    const seen = `POST /api-tokens with the expired access cookie returned ${reply.status}`
    if (isSuccess(reply)) judge.fail(EXPIRES, seen, [reply.evidence()])
  })
}

/** Sessions that expire with the first: one that was refreshed, and one whose access cookie the browser drops. */
type Others = { refreshed: Renewed | undefined; refreshCookieOnly: Session }

async function withOthers(
  target: Target,
  wallet: Wallet,
  use: (renewed: Renewed, others: Others) => Promise<void>,
): Promise<void> {
  await withSession(target, wallet, (early) =>
    withSession(target, wallet, async (refreshCookieOnly) => {
      const signedInMs = await nowMs(target)
      await withSession(target, wallet, async (session) => {
        // Last, because a sign-in may have to wait for its turn.
        const atMs = await nowMs(target)
        const isRefreshed =
          isSuccess(await refresh(target, early)) && (await isAlive(target, getCredential(early))).alive
        const refreshed = isRefreshed ? { session: early, atMs } : undefined
        await use({ session, atMs: signedInMs }, { refreshed, refreshCookieOnly })
      })
    }),
  )
}

type Revival = Others & { session: Session; fresh: Session; refusal: RefusedWrite | undefined }

/** After its access expires, each session is refreshed and continues. */
async function judgeRevival(
  target: Target,
  judge: Judge,
  { session, refreshed, refreshCookieOnly, fresh, refusal }: Revival,
): Promise<void> {
  const { access } = target.profile.choices.cookies
  // Browsers drop expired cookies.
  if (access !== null) dropCookie(refreshCookieOnly, access)
  const seen: string[] = []
  for (const [how, one] of [
    ['with its cookies', session],
    ['refreshed before', refreshed?.session],
    ['with its refresh cookie', refreshCookieOnly],
  ] as const) {
    if (one === undefined) continue
    const reply = await refresh(target, one)
    mustHaveSentCsrf(one, reply)
    const revived = await isAlive(target, getCredential(one))
    const explanation = `${how}: refresh returned ${reply.status}, the session is ${revived.alive ? 'alive' : 'ended'}`
    if (!isSuccess(reply) || !revived.alive)
      judge.fail(REVIVES, explanation, [reply.evidence(), revived.reply.evidence()])
    else
      await judgeWrite(target, judge, {
        how,
        revived: one,
        fresh,
        refusal: one === session ? refusal : undefined,
      })
    seen.push(explanation)
  }
  judge.pass(REVIVES, seen.join('; '))
}

export type RefusedWrite = { csrf: string | undefined; evidence: string; explanation: string }

/**
 * A change by a session whose access has expired gets 401, after which a client refreshes. Returns another rejection if it persists
 * while a fresh session of the wallet succeeds. The CSRF token is right if the same change succeeds after the refresh.
 */
export async function findRefusedWrite(
  target: Target,
  { session, fresh }: { session: Session; fresh: Session },
): Promise<RefusedWrite | undefined> {
  const { csrf } = session
  if (csrf === undefined) return undefined
  const found: RefusedWrite[] = []
  const owner = getCredential(fresh)
  const change = () => tryAndRevoke(target, getCredential(session), owner)
  await unlessCannot(async () => {
    const { outcome, last, explanation } = await confirm<Reply>({
      first: await change(),
      describeError: (reply) => describeRefusal(reply, [401, 429]),
      again: change,
      witness: () => createsToken(target, fresh),
    })
    if (outcome === 'persistent') found.push({ csrf, evidence: last.evidence(), explanation })
  })
  return found[0]
}

/** A rejection counts if it persists while the session reads, and a fresh one of the wallet succeeds. Passes nothing. */
export async function judgeWrite(
  target: Target,
  judge: Judge,
  {
    how,
    revived,
    fresh,
    refusal,
  }: { how: string; revived: Session; fresh: Session; refusal: RefusedWrite | undefined },
): Promise<void> {
  if (revived.csrf === undefined) return
  const change = () => tryAndRevoke(target, getCredential(revived))
  await unlessCannot(async () => {
    const first = await change()
    if (isSuccess(first) && refusal !== undefined && refusal.csrf === revived.csrf) {
      const seen = `POST /api-tokens after 16 minutes: ${refusal.explanation}; after a refresh it returns ${first.status}`
      judge.fail('auth.session.expires-15-min', seen, [refusal.evidence, first.evidence()])
    }
    const { outcome, last, explanation } = await confirm<Reply>({
      first,
      describeError: (reply) => describeRefusal(reply, [404, 429]),
      again: change,
      witness: async () => {
        const { alive, reply } = await isAlive(target, getCredential(revived))
        const created = await createsToken(target, fresh)
        const explanation = `a read -> ${reply.status}, ${created.explanation}`
        return { served: alive && created.served, explanation }
      },
    })
    const seen = `${how}: refreshed, and then POST /api-tokens returns ${explanation}`
    if (outcome === 'persistent') judge.fail('auth.refresh.revives', seen, [last.evidence()])
  })
}

function describeRefusal(reply: Reply, others: readonly number[]): string | undefined {
  return isClientError(reply) && !others.includes(reply.status) ? String(reply.status) : undefined
}

async function createsToken(
  target: Target,
  fresh: Session,
): Promise<{ served: boolean; explanation: string }> {
  const reply = await tryAndRevoke(target, getCredential(fresh))
  return { served: isSuccess(reply), explanation: `POST /api-tokens by a fresh session -> ${reply.status}` }
}
