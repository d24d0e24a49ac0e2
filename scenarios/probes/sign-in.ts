import type { Target } from '../../contract/scenario-config.ts'
import { CannotProbe } from '../lib/cannot.ts'
import { check } from '../lib/check.ts'
import type { Judge } from '../lib/judge.ts'
import { pick } from '../lib/pick.ts'
import type { Probe } from '../lib/probe.ts'
import { type Credential, isSuccess, type Reply, request } from '../lib/request.ts'
import {
  challenge,
  credentialOf,
  endSession,
  isAlive,
  type Session,
  takeReply,
  verify,
  withSession,
} from '../lib/session.ts'
import { sign, walletFor } from '../lib/wallet.ts'

/** Challenge, signature, verify: who gets a session, and what it is made of. */
export const signInRules: Probe = {
  rules: [
    'auth.challenge.shape',
    'auth.verify.signs-in',
    'auth.verify.body',
    'auth.verify.rejects-forged',
    'auth.cookies.http-only',
    'auth.csrf.required',
  ],
  world: 'main',
  async run(target, judge) {
    const wallet = walletFor(target, 'signIn')
    const asked = await request(target, {
      method: 'POST',
      path: '/auth/challenge',
      body: { address: wallet.address },
    })
    const problems = check('challengeBody', asked.json)
    judge.that(
      'auth.challenge.shape',
      isSuccess(asked) && problems.length === 0,
      problems.join('; ') || `${asked.status}`,
      [asked.evidence()],
    )
    await withSession(target, wallet, async (session) => {
      const { alive, reply } = await isAlive(target, credentialOf(session))
      const seen = alive ? 'the session reads /swaps' : 'the session is refused'
      judge.that('auth.verify.signs-in', alive, seen, [reply.evidence()])
      judgeBody(target, judge, session)
      judgeCookies(target, judge, session)
      await judgeCsrf(target, judge, session)
    })
    await judgeForged(target, judge)
  },
}

/** Another wallet's signature over the right message: well formed, as the good sign-in before shows, and not by this address. */
async function judgeForged(target: Target, judge: Judge): Promise<void> {
  const rule = 'auth.verify.rejects-forged'
  const wallet = walletFor(target, 'signIn')
  const message = await challenge(target, wallet)
  const forger = target.wallets.find(({ address }) => address !== wallet.address)
  if (!forger) {
    judge.skip(rule, 'needs a second wallet to forge with')
    return
  }
  const body = { address: wallet.address, signature: await sign(target, forger, message) }
  const reply = await request(target, { method: 'POST', path: '/auth/verify', body })
  const refused = reply.status >= 400
  const intruder: Session = { wallet, cookies: new Map(), csrf: undefined, verified: reply }
  takeReply(target, intruder, reply)
  const inside = intruder.cookies.size > 0 && (await isAlive(target, credentialOf(intruder))).alive
  if (inside) await endSession(target, intruder)
  const seen = `${reply.status}, ${inside ? 'and a session' : 'no session'}`
  judge.that(rule, refused && !inside, seen, [reply.evidence()])
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
  const without = await logout({ cookie, csrf: undefined })
  const wrong = await logout({ cookie, csrf: 'not-the-token-that-verify-returned' })
  const { alive, reply } = await isAlive(target, credentialOf(session))
  const seen = [
    ...(without.status < 400 ? ['taken without a token'] : []),
    ...(wrong.status < 400 ? ['taken with a wrong token'] : []),
    ...(alive ? [] : ['the session has ended']),
  ]
  const evidence = [without, wrong, reply].map((one) => one.evidence())
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

/** Who is turned away, and with what. */
export const access: Probe = {
  rules: ['auth.credentials.missing-401', 'auth.credentials.invalid-401', 'auth.access.denied-403'],
  world: 'main',
  async run(target, judge) {
    const answers: Reply[] = []
    for (const path of ['/swaps', '/access/status', '/auth/ws-ticket', '/auth/sessions']) {
      answers.push(await request(target, { method: 'GET', path }))
    }
    const served = answers.filter(({ status }) => status !== 401)
    judge.that(
      'auth.credentials.missing-401',
      served.length === 0,
      `${served.length} of ${answers.length} not answered with 401`,
      served.map((reply) => reply.evidence()),
    )

    const credential = { bearer: 'ss_this-token-was-never-issued-by-anyone' }
    const invalid = await request(target, { method: 'GET', path: '/swaps', credential })
    judge.that('auth.credentials.invalid-401', invalid.status === 401, `${invalid.status}`, [
      invalid.evidence(),
    ])

    await judgeDenied(target, judge)
  },
}

async function judgeDenied(target: Target, judge: Judge): Promise<void> {
  const rule = 'auth.access.denied-403'
  const wallet = target.wallets.find(({ hasAccess }) => !hasAccess)
  if (!wallet) throw new CannotProbe('the profile names no wallet without access')
  const verified = await verify(target, wallet, await challenge(target, wallet))
  if (!isSuccess(verified)) {
    judge.that(rule, verified.status === 403, `verify answered ${verified.status}`, [verified.evidence()])
    return
  }
  const session: Session = { wallet, cookies: new Map(), csrf: undefined, verified }
  takeReply(target, session, verified)
  const read = await request(target, { method: 'GET', path: '/swaps', credential: credentialOf(session) })
  await endSession(target, session)
  judge.that(rule, read.status === 403, `signed in, and /swaps answered ${read.status}`, [read.evidence()])
}
