import { LIMITS } from '../../contract/limits.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { parseExpiry, parseTime } from '../lib/duties/event-time.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import { explainMisnamedCookies, explainUnsentCookie } from '../lib/identity/cookie-attributes.ts'
import {
  challenge,
  endSession,
  getCredential,
  isAlive,
  requireFullCredential,
  type Session,
  startSession,
  verify,
  verifyPatiently,
  wholeChallenge,
  withSession,
} from '../lib/identity/session.ts'
import { REBUILDINGS } from '../lib/identity/signing.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { check } from '../lib/verdict/check.ts'
import { CannotJudge, CannotProbe, holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'
import { nowMs } from '../lib/world/control.ts'
import { portfolioPaths, STATED_DATA_PATHS } from './data-paths.ts'
import { listRouteReads } from './reads-served.ts'

/** Any wallet with access will do: nothing is signed. */
export const challengeShape: Probe = {
  rules: ['auth.challenge.shape'],
  world: 'main',
  async run(target, judge) {
    const wallet = target.wallets.find(({ hasAccess }) => hasAccess)
    if (!wallet) throw new CannotProbe('needs the address of a wallet with access', 'wallets')
    const body = { address: wallet.address }
    const reply = await request(target, { method: 'POST', path: '/auth/challenge', body })
    const problems = check('challengeBody', reply.json)
    const holds = isSuccess(reply) && problems.length === 0
    judge.that('auth.challenge.shape', holds, problems.join('; ') || `${reply.status}`, [reply.evidence()])
  },
}

export const signInRules: Probe = {
  rules: ['auth.verify.signs-in', 'auth.verify.body', 'auth.verify.expiry', 'auth.cookies.http-only'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'signIn')
    await judgeNewest(target, judge, wallet)
    const verified = await verifyPatiently(target, wallet)
    if (isError(verified))
      judge.fail('auth.verify.signs-in', `no sign-in succeeds: ${verified.status}`, [verified.evidence()])
    else if (!isSuccess(verified)) await judgeRejectedSignIn(target, judge, wallet)
    if (!isSuccess(verified)) throw new CannotJudge(`sign-in was rejected: ${verified.evidence()}`)
    const session = startSession(target, { wallet, verified })
    try {
      const { alive, reply } = await isAlive(target, getCredential(session))
      const refused = alive ? await findRefusedRead(target, session) : undefined
      const unsent = explainUnsentCookie(target.profile, verified)
      const seen = alive ? (unsent ?? 'the session reads /swaps') : 'the session is rejected'
      const evidence = [(refused?.reply ?? reply).evidence()]
      const { held, release } = holdPasses(judge)
      held.that('auth.verify.signs-in', alive && !refused && !unsent, refused?.explanation ?? seen, evidence)
      // After the session was judged, as a target may end it with another one.
      await judgeBeside(target, held, wallet)
      release()
      // Again while the wallet has a session: verify must return the same fields and cookies.
      await withSession(target, wallet, async (second) => {
        judgeBody(target, judge, [session, second])
        judgeCookies(target, judge, [session, second])
      })
      await judgeExpiry(target, judge, session)
    } finally {
      await endSession(target, session)
    }
  },
}

/**
 * An earlier challenge that is still open does not block a later one: fails the rule if the later one is rejected for good, and the
 * earlier one then signs in. If the challenge of another client has replaced both, neither does. Passes nothing.
 */
export async function judgeNewest(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  await unlessCannot(async () => {
    const older = await challenge(target, wallet)
    const newer = await challenge(target, wallet)
    if (older === newer) return
    const tryNewer = () => verify(target, wallet, newer)
    const { outcome, last, explanation } = await confirm<Reply>({
      first: await tryNewer(),
      describeError: (reply) => (isClientError(reply) ? String(reply.status) : undefined),
      again: tryNewer,
      witness: async () => ({ served: true, explanation: 'an earlier one is open' }),
    })
    const verified = outcome === 'persistent' ? await verify(target, wallet, older) : last
    if (!isSuccess(verified)) return
    await endSession(target, startSession(target, { wallet, verified }))
    const seen = `the newest challenge does not sign in, an earlier one does: ${explanation}`
    if (verified !== last) judge.fail('auth.verify.signs-in', seen, [last.evidence(), verified.evidence()])
  })
}

/** The challenge of another wallet leaves that of this one open. Passes nothing. */
export async function judgeBeside(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  const isTaken = async (verified: Reply) => {
    if (isSuccess(verified)) await endSession(target, startSession(target, { wallet, verified }))
    return isSuccess(verified)
  }
  await unlessCannot(async () => {
    const other = walletFor(target, 'refreshEnds')
    if (other.address === wallet.address) return
    const tryBeside = async () => {
      const message = await challenge(target, wallet)
      await challenge(target, other)
      const verified = await verify(target, wallet, message)
      await isTaken(verified)
      return verified
    }
    const { outcome, last, explanation } = await confirm<Reply>({
      first: await tryBeside(),
      describeError: (reply) => (isClientError(reply) ? String(reply.status) : undefined),
      again: tryBeside,
      // Other probes sign in at the same time.
      witness: async () => ({
        served: await isTaken(await verifyPatiently(target, wallet)),
        explanation: 'a sign-in without one',
      }),
    })
    const seen = `a challenge of another wallet prevents the sign-in: ${explanation}`
    if (outcome === 'persistent') judge.fail('auth.verify.signs-in', seen, [last.evidence()])
  })
}

/**
 * The profile may state the wrong scheme, so a rejection alone proves nothing. A target that accepts a rebuilt message, and again
 * rejects its exact bytes, breaks the rule.
 */
export async function judgeRejectedSignIn(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  for (const { how, rebuild } of REBUILDINGS) {
    const given = await wholeChallenge(target, wallet)
    const rebuilt = rebuild(given)
    const taken = rebuilt === given.message ? undefined : await verify(target, wallet, rebuilt)
    if (!taken || !isSuccess(taken)) continue
    await endSession(target, startSession(target, { wallet, verified: taken }))
    const exact = await verifyPatiently(target, wallet)
    if (isSuccess(exact)) {
      await endSession(target, startSession(target, { wallet, verified: exact }))
      return
    }
    const seen = `the exact bytes are rejected with ${exact.status}, the message ${how} is accepted`
    judge.fail('auth.verify.signs-in', seen, [exact.evidence(), taken.evidence()])
    return
  }
}

function judgeBody(target: Target, judge: Judge, sessions: readonly Session[]): void {
  const paths = Object.entries(target.profile.choices.verify).filter(([, path]) => path !== null)
  const missing = paths
    .filter(([, path]) => sessions.some(({ verified }) => (pick(verified.json, path) ?? null) === null))
    .map(([name, path]) => `${name} (choices.verify.${name}: ${path})`)
  if (paths.length === 0)
    judge.skip('auth.verify.body', 'the profile does not state the names of its fields', 'choice')
  judge.that(
    'auth.verify.body',
    missing.length === 0,
    missing.length === 0 ? 'all there' : `missing: ${missing.join(', ')}`,
    sessions.map(({ verified }) => verified.evidence()),
  )
}

const SLACK_SECONDS = 60
/** Beyond this, the profile has the wrong unit, such as milliseconds for seconds. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** By the Date header; if that does not match, by the exchange's own clock, since a proxy may replace Date. */
async function judgeExpiry(target: Target, judge: Judge, session: Session): Promise<void> {
  const rule = 'auth.verify.expiry'
  const { verified } = session
  const { verify, expiry } = target.profile.choices
  const evidence = [verified.evidence()]
  const atMs = parseExpiry(pick(verified.json, verify.accessExpiresAt), expiry)
  if (verify.accessExpiresAt === null) {
    return judge.skip(rule, 'the profile does not state the path of the expiry', 'choice')
  }
  if (atMs === undefined) {
    return judge.inconclusive(
      rule,
      `no expiry in the format ${expiry} at ${verify.accessExpiresAt}`,
      evidence,
    )
  }
  const dateMs = Date.parse(verified.headers.date ?? '')
  const byDate = secondsAhead(atMs, dateMs)
  if (isSessionAhead(byDate)) return judge.pass(rule, `${byDate} seconds ahead`, evidence)
  if (Math.abs(atMs - dateMs) > YEAR_MS) {
    return judge.inconclusive(rule, `the expiry read as ${expiry} is more than a year away`, evidence)
  }
  const beforeMs = Date.now()
  try {
    const nowMs = (await exchangeTimeMs(target, session)) - (Date.now() - beforeMs)
    const ahead = secondsAhead(atMs, nowMs)
    judge.that(rule, isSessionAhead(ahead), `${ahead} seconds ahead of the exchange's own clock`, evidence)
  } catch (error) {
    if (!(error instanceof CannotJudge || error instanceof CannotProbe)) throw error
    const why = `the Date header is missing, or may be a proxy's; ${error.message}`
    judge.inconclusive(rule, `${byDate} seconds ahead of the Date header: ${why}`, evidence)
  }
}

function secondsAhead(atMs: number, nowMs: number): number {
  return Math.round((atMs - nowMs) / 1000)
}

function isSessionAhead(seconds: number): boolean {
  return Math.abs(seconds - LIMITS.accessSessionSeconds) <= SLACK_SECONDS
}

export function judgeCookies(target: Target, judge: Judge, sessions: readonly Session[]): void {
  const rule = 'auth.cookies.http-only'
  const names = Object.values(target.profile.choices.cookies)
  const cookies = sessions.flatMap(({ verified }) =>
    names.map((name) => ({ name, cookie: verified.cookies.find((cookie) => cookie.name === name) })),
  )
  if (names.includes(null)) judge.skip(rule, 'the profile does not state the names of the cookies', 'choice')
  const isReadable = cookies.some(({ cookie }) => cookie && !cookie.httpOnly)
  const misnamed = explainMisnamedCookies(
    target.profile.choices,
    sessions.flatMap(({ verified }) => verified.cookies),
  )
  if (misnamed && !isReadable) judge.inconclusive(rule, misnamed)
  const seen = cookies.map(({ name, cookie }) => `${name}: ${describe(cookie)}`).join('; ')
  judge.that(
    rule,
    cookies.every(({ cookie }) => cookie?.httpOnly),
    seen,
  )
}

function describe(cookie: { httpOnly: boolean } | undefined): string {
  if (!cookie) return 'not set'
  return cookie.httpOnly ? 'HttpOnly' : 'readable by scripts'
}

/**
 * The exchange's own clock, since a proxy may replace Date: from the control API, else from `created_at` of a new API token.
 * Throws CannotJudge or CannotProbe if neither is available.
 */
async function exchangeTimeMs(target: Target, session: Session): Promise<number> {
  if (hasControl(target)) return await nowMs(target)
  let timeMs: number | undefined
  await withApiToken(target, requireFullCredential(session), async ({ reply }) => {
    const created = pick(reply.json, 'data.created_at')
    timeMs = parseTime(created, 'iso8601') ?? parseExpiry(created, target.profile.choices.expiry)
  })
  if (timeMs === undefined) throw new CannotJudge('no readable time at data.created_at of an API token')
  return timeMs
}

/** Finds a read that rejects a live session, and serves an API token of the same wallet all along. */
async function findRefusedRead(
  target: Target,
  session: Session,
): Promise<{ reply: Reply; explanation: string } | undefined> {
  let found: { reply: Reply; explanation: string } | undefined
  await unlessCannot(() =>
    withApiToken(target, requireFullCredential(session), async ({ bearer }) => {
      const credential = getCredential(session)
      const paths = [...STATED_DATA_PATHS, ...portfolioPaths(target.profile)]
      const reads = [...paths.map((path) => ({ path })), ...(await listRouteReads(target))]
      for (const one of reads) {
        const read = { method: 'GET', ...one } as const
        const { status } = await request(target, { ...read, credential })
        if (status !== 401 && status !== 403) continue
        const { outcome, ...seen } = await isStillServed(target, credential, { witness: bearer, read })
        if (outcome === 'refused') found ??= seen
      }
    }),
  )
  return found
}
