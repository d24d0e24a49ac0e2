import { LIMITS } from '../../contract/limits.ts'
import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { rebuiltMessages } from '../lib/identity/rebuilt-messages.ts'
import {
  challenge,
  credentialOf,
  endSession,
  isAlive,
  type Session,
  startSession,
  verify,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { pick } from '../lib/pick.ts'
import { CannotJudge, CannotProbe } from '../lib/probe/cannot.ts'
import { check } from '../lib/probe/check.ts'
import { parseExpiry } from '../lib/probe/expiry.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/requests/request.ts'

/** Of any wallet with access: nothing comes of it. */
export const challengeShape: Probe = {
  rules: ['auth.challenge.shape'],
  world: 'main',
  async run(target, judge) {
    const wallet = target.wallets.find(({ hasAccess }) => hasAccess)
    if (!wallet) throw new CannotProbe('needs the address of a wallet with access')
    const body = { address: wallet.address }
    const reply = await request(target, { method: 'POST', path: '/auth/challenge', body })
    const problems = check('challengeBody', reply.json)
    const holds = isSuccess(reply) && problems.length === 0
    judge.that('auth.challenge.shape', holds, problems.join('; ') || `${reply.status}`, [reply.evidence()])
  },
}

/** Signature and verify: who gets a session, and what it is made of. */
export const signInRules: Probe = {
  rules: [
    'auth.verify.signs-in',
    'auth.verify.body',
    'auth.verify.expiry',
    'auth.cookies.http-only',
    'auth.csrf.required',
  ],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'signIn')
    const verified = await verify(target, wallet, await challenge(target, wallet))
    if (!isSuccess(verified)) {
      await judgeRefusedSignIn(target, judge, wallet)
      throw new CannotJudge(`sign-in was refused: ${verified.evidence()}`)
    }
    const session = startSession(target, { wallet, verified })
    try {
      const { alive, reply } = await isAlive(target, credentialOf(session))
      const seen = alive ? 'the session reads /swaps' : 'the session is refused'
      judge.that('auth.verify.signs-in', alive, seen, [reply.evidence()])
      judgeBody(target, judge, session)
      judgeExpiry(target, judge, session)
      judgeCookies(target, judge, session)
      await judgeCsrf(target, judge, session)
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
  for (const { how } of rebuiltMessages('')) {
    const message = await challenge(target, wallet)
    const rebuilt = rebuiltMessages(message).find((one) => one.how === how)?.message ?? message
    const taken = rebuilt === message ? undefined : await verify(target, wallet, rebuilt)
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

function judgeBody(target: Target, judge: Judge, { verified }: Session): void {
  const paths = Object.entries(target.profile.choices.verify).filter(([, path]) => path !== null)
  const missing = paths
    .filter(([, path]) => (pick(verified.json, path) ?? null) === null)
    .map(([name]) => name)
  if (paths.length === 0) judge.skip('auth.verify.body', 'the profile does not tell the names of its fields')
  judge.that(
    'auth.verify.body',
    missing.length === 0,
    missing.length === 0 ? 'all there' : `missing: ${missing.join(', ')}`,
    [verified.evidence()],
  )
}

const SLACK_SECONDS = 60
/** Beyond it the expiry is not written as the profile says: a number of seconds, or milliseconds for seconds. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000

/** On the target's own clock: without its Date header the expiry could be off for the skew of ours alone. */
function judgeExpiry(target: Target, judge: Judge, { verified }: Session): void {
  const rule = 'auth.verify.expiry'
  const { verify, expiry } = target.profile.choices
  const value = pick(verified.json, verify.accessExpiresAt)
  const atMs = parseExpiry(value, expiry)
  const nowMs = Date.parse(verified.headers.date ?? '')
  if (verify.accessExpiresAt === null) judge.skip(rule, 'the profile does not tell where the expiry lies')
  else if (atMs === undefined)
    judge.inconclusive(rule, `no expiry, written as ${expiry}, at ${verify.accessExpiresAt}`, [
      verified.evidence(),
    ])
  else if (Number.isNaN(nowMs)) judge.inconclusive(rule, 'the answer has no Date header to compare with')
  else if (Math.abs(atMs - nowMs) > YEAR_MS)
    judge.inconclusive(rule, `no moment of these years when read as ${expiry}`, [verified.evidence()])
  else {
    const ahead = Math.round((atMs - nowMs) / 1000)
    const holds = Math.abs(ahead - LIMITS.accessSessionSeconds) <= SLACK_SECONDS
    judge.that(rule, holds, `${ahead} seconds ahead`, [verified.evidence()])
  }
}

function judgeCookies(target: Target, judge: Judge, { verified }: Session): void {
  const rule = 'auth.cookies.http-only'
  const names = Object.values(target.profile.choices.cookies)
  const cookies = names.map((name) => verified.cookies.find((cookie) => cookie.name === name))
  if (names.includes(null)) judge.skip(rule, 'the profile does not tell the names of the cookies')
  const seen = cookies.map((cookie, index) => `${names[index]}: ${describe(cookie)}`).join('; ')
  judge.that(
    rule,
    cookies.every((cookie) => cookie?.httpOnly),
    seen,
  )
}

function describe(cookie: { httpOnly: boolean } | undefined): string {
  if (!cookie) return 'not set'
  return cookie.httpOnly ? 'HttpOnly' : 'readable by scripts'
}

/** Logout is the state-changing request that every session may make: without the token nothing may come of it. */
async function judgeCsrf(target: Target, judge: Judge, session: Session): Promise<void> {
  const rule = 'auth.csrf.required'
  if (session.csrf === undefined) {
    judge.skip(rule, 'no CSRF token where the profile says it lies, so a right one cannot be sent')
    return
  }
  const { cookie } = credentialOf(session)
  const logout = (credential: Credential) =>
    request(target, { method: 'POST', path: '/auth/logout', credential })
  const before = await isAlive(target, credentialOf(session))
  if (!before.alive) throw new CannotJudge(`the session is refused: ${before.reply.evidence()}`)
  const without = await logout({ cookie, csrf: undefined })
  const wrong = await logout({ cookie, csrf: 'not-the-token-that-verify-returned' })
  const { alive, reply } = await isAlive(target, credentialOf(session))
  const seen = [
    ...(isSuccess(without) ? ['taken without a token'] : []),
    ...(isSuccess(wrong) ? ['taken with a wrong token'] : []),
    ...(alive ? [] : ['the session has ended']),
  ]
  const evidence = [without, wrong, reply].map((one: Reply) => one.evidence())
  if (seen.length > 0) {
    judge.fail(rule, seen.join('; '), evidence)
    return
  }
  // With the right token it must work, or something else was refused.
  const right = await logout(credentialOf(session))
  const after = await isAlive(target, credentialOf(session))
  if (after.alive)
    judge.inconclusive(rule, `logout does not work with the right token: ${right.evidence()}`, evidence)
  else judge.pass(rule, 'refused without and with a wrong token, taken with the right one', evidence)
}
