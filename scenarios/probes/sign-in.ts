import { LIMITS } from '../../contract/limits.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { parseExpiry, parseTime } from '../lib/duties/event-time.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import {
  challenge,
  credentialOf,
  endSession,
  fullCredentialOf,
  isAlive,
  type Session,
  startSession,
  verify,
  wholeChallenge,
  withSession,
} from '../lib/identity/session.ts'
import { REBUILDINGS } from '../lib/identity/signing.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isError, isSuccess, request } from '../lib/requests/request.ts'
import { hasControl } from '../lib/time/has-control.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/cannot.ts'
import { check } from '../lib/verdict/check.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { nowMs } from '../lib/world/control.ts'

/** Of any wallet with access: nothing comes of it. */
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

/** Signature and verify: who gets a session, and what it is made of. */
export const signInRules: Probe = {
  rules: ['auth.verify.signs-in', 'auth.verify.body', 'auth.verify.expiry', 'auth.cookies.http-only'],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'signIn')
    const verified = await verify(target, wallet, await challenge(target, wallet))
    if (isError(verified))
      judge.fail('auth.verify.signs-in', `no sign-in succeeds: ${verified.status}`, [verified.evidence()])
    else if (!isSuccess(verified)) await judgeRefusedSignIn(target, judge, wallet)
    if (!isSuccess(verified)) throw new CannotJudge(`sign-in was refused: ${verified.evidence()}`)
    const session = startSession(target, { wallet, verified })
    try {
      const { alive, reply } = await isAlive(target, credentialOf(session))
      const seen = alive ? 'the session reads /swaps' : 'the session is refused'
      judge.that('auth.verify.signs-in', alive, seen, [reply.evidence()])
      // Once more while the wallet has a session: what verify returns then has the same fields and cookies.
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
 * A refusal alone may come from a profile that tells the wrong scheme. One that takes the message rebuilt, as no client
 * may, and once more refuses its exact bytes, is the target's own doing.
 */
export async function judgeRefusedSignIn(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  for (const { how, rebuild } of REBUILDINGS) {
    const given = await wholeChallenge(target, wallet)
    const rebuilt = rebuild(given)
    const taken = rebuilt === given.message ? undefined : await verify(target, wallet, rebuilt)
    if (!taken || !isSuccess(taken)) continue
    await endSession(target, startSession(target, { wallet, verified: taken }))
    const exact = await verify(target, wallet, await challenge(target, wallet))
    if (isSuccess(exact)) {
      await endSession(target, startSession(target, { wallet, verified: exact }))
      return
    }
    const seen = `the exact bytes are refused with ${exact.status}, the message ${how} is taken`
    judge.fail('auth.verify.signs-in', seen, [exact.evidence(), taken.evidence()])
    return
  }
}

function judgeBody(target: Target, judge: Judge, sessions: readonly Session[]): void {
  const paths = Object.entries(target.profile.choices.verify).filter(([, path]) => path !== null)
  const missing = paths
    .filter(([, path]) => sessions.some(({ verified }) => (pick(verified.json, path) ?? null) === null))
    .map(([name]) => name)
  if (paths.length === 0)
    judge.skip('auth.verify.body', 'the profile does not tell the names of its fields', 'choice')
  judge.that(
    'auth.verify.body',
    missing.length === 0,
    missing.length === 0 ? 'all there' : `missing: ${missing.join(', ')}`,
    sessions.map(({ verified }) => verified.evidence()),
  )
}

const SLACK_SECONDS = 60
/** Beyond it the expiry is not written as the profile says: a number of seconds, or milliseconds for seconds. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** By the header Date; if the expiry does not fit that, by the exchange's own clock, as a proxy may send a Date of its own. */
async function judgeExpiry(target: Target, judge: Judge, session: Session): Promise<void> {
  const rule = 'auth.verify.expiry'
  const { verified } = session
  const { verify, expiry } = target.profile.choices
  const evidence = [verified.evidence()]
  const atMs = parseExpiry(pick(verified.json, verify.accessExpiresAt), expiry)
  if (verify.accessExpiresAt === null) {
    return judge.skip(rule, 'the profile does not tell where the expiry lies', 'choice')
  }
  if (atMs === undefined) {
    return judge.inconclusive(rule, `no expiry, written as ${expiry}, at ${verify.accessExpiresAt}`, evidence)
  }
  const dateMs = Date.parse(verified.headers.date ?? '')
  const byDate = secondsAhead(atMs, dateMs)
  if (isSessionAhead(byDate)) return judge.pass(rule, `${byDate} seconds ahead`, evidence)
  if (Math.abs(atMs - dateMs) > YEAR_MS) {
    return judge.inconclusive(rule, `no moment of these years when read as ${expiry}`, evidence)
  }
  const beforeMs = Date.now()
  try {
    const nowMs = (await exchangeTimeMs(target, session)) - (Date.now() - beforeMs)
    const ahead = secondsAhead(atMs, nowMs)
    judge.that(rule, isSessionAhead(ahead), `${ahead} seconds ahead of the exchange's own clock`, evidence)
  } catch (error) {
    if (!(error instanceof CannotJudge || error instanceof CannotProbe)) throw error
    const why = `the header Date is missing, or may be that of a proxy; ${error.message}`
    judge.inconclusive(rule, `${byDate} seconds ahead of the header Date: ${why}`, evidence)
  }
}

function secondsAhead(atMs: number, nowMs: number): number {
  return Math.round((atMs - nowMs) / 1000)
}

function isSessionAhead(seconds: number): boolean {
  return Math.abs(seconds - LIMITS.accessSessionSeconds) <= SLACK_SECONDS
}

function judgeCookies(target: Target, judge: Judge, sessions: readonly Session[]): void {
  const rule = 'auth.cookies.http-only'
  const names = Object.values(target.profile.choices.cookies)
  const cookies = sessions.flatMap(({ verified }) =>
    names.map((name) => ({ name, cookie: verified.cookies.find((cookie) => cookie.name === name) })),
  )
  if (names.includes(null)) judge.skip(rule, 'the profile does not tell the names of the cookies', 'choice')
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
 * The time by the exchange's own clock, which the header Date need not be: a proxy may replace it. Asks the control API, or else creates
 * an API token, reads when it was created, and revokes it. Throws CannotJudge or CannotProbe if neither tells the time.
 */
async function exchangeTimeMs(target: Target, session: Session): Promise<number> {
  if (hasControl(target)) return await nowMs(target)
  let timeMs: number | undefined
  await withApiToken(target, fullCredentialOf(session), async ({ reply }) => {
    const created = pick(reply.json, 'data.created_at')
    timeMs = parseTime(created, 'iso8601') ?? parseExpiry(created, target.profile.choices.expiry)
  })
  if (timeMs === undefined)
    throw new CannotJudge('no time that can be read at data.created_at of an API token')
  return timeMs
}
