import type { Wallet } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { explainMisnamedCookies, explainUnsentCookie } from '../lib/identity/cookie-attributes.ts'
import {
  copySession,
  credentialRead,
  endSession,
  getCredential,
  isAlive,
  mustHaveSentCsrf,
  refresh,
  refreshCookieName,
  type Session,
  signIn,
  startsSession,
  withSession,
} from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { isClientError } from '../lib/requests/refusal.ts'
import { isError, isSuccess, type Reply, request } from '../lib/requests/request.ts'
import { CannotJudge, holdPasses, type Judge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'
import { canWait, elapse, mustBeAbleToWait } from '../lib/world/control.ts'
import { judgeCookieless } from './refresh-cookie.ts'
import { refreshLive } from './session-checks.ts'

export const refreshRules: Probe = {
  rules: [
    'auth.refresh.rotates',
    'auth.refresh.sets-access',
    'auth.refresh.http-only',
    'auth.refresh.needs-cookie',
  ],
  world: 'clock',
  async run(target, judge) {
    await withSession(target, walletFor(target, 'race'), async (session) => {
      const { held, release } = holdPasses(judge)
      const { reply, old } = await refreshOnce(target, session)
      mustHaveSentCsrf(session, reply)
      judgeRotation(target, held, { reply, old, session })
      await judgeAccess(target, judge, { reply, session })
      judgeHttpOnly(target, judge, reply)
      if (isSuccess(reply)) {
        await refreshAgain(target, held, session)
        await judgeEarlier(target, judge, session.wallet)
      }
      release()
      if (isSuccess(reply)) await judgeCookieless(target, judge, session)
      else judge.inconclusive('auth.refresh.needs-cookie', 'the refresh was rejected', [reply.evidence()])
    })
  },
}

async function refreshOnce(
  target: Target,
  session: Session,
): Promise<{ reply: Reply; old: string | undefined }> {
  const { refresh: name } = target.profile.choices.cookies
  const old = name === null ? undefined : session.cookies.get(name)
  return { reply: await refresh(target, session), old }
}

const REFRESHES = 3

/** The newest token must refresh each time. A rejection may follow a response that was lost. */
async function refreshAgain(target: Target, judge: Judge, session: Session): Promise<void> {
  for (let number = 2; number <= REFRESHES; number++) {
    const { reply, old } = await refreshOnce(target, session)
    if (!isSuccess(reply) && !isError(reply)) {
      const seen = `refresh ${number} of the session returned ${reply.status}`
      return judge.inconclusive('auth.refresh.rotates', seen, [reply.evidence()])
    }
    judgeRotation(target, judge, { reply, old, session })
    if (isError(reply)) return
  }
}

function judgeRotation(
  target: Target,
  judge: Judge,
  { reply, old, session }: { reply: Reply; old: string | undefined; session: Session },
): void {
  const rule = 'auth.refresh.rotates'
  const name = target.profile.choices.cookies.refresh
  if (name === null) judge.skip(rule, 'the profile does not state the name of the refresh cookie', 'choice')
  else if (old === undefined)
    judge.inconclusive(rule, explainMisnamed(target, session) ?? `sign-in set no cookie ${name}`)
  const fresh = findCookie(reply, name)?.value
  const seen =
    fresh === undefined
      ? 'no new refresh cookie'
      : fresh === old
        ? 'the same refresh cookie'
        : 'a new refresh cookie'
  const holds = isSuccess(reply) && seen === 'a new refresh cookie'
  judge.that(rule, holds, `${reply.status}, ${seen}`, [reply.evidence()])
}

async function judgeAccess(
  target: Target,
  judge: Judge,
  { reply, session }: { reply: Reply; session: Session },
): Promise<void> {
  const rule = 'auth.refresh.sets-access'
  const name = target.profile.choices.cookies.access
  if (name === null) judge.skip(rule, 'the profile does not state the name of the access cookie', 'choice')
  else if (!isSuccess(reply)) judge.inconclusive(rule, 'the refresh was rejected', [reply.evidence()])
  else if ((findCookie(reply, name)?.value ?? '') === '') {
    const misnamed = explainMisnamed(target, session)
    if (misnamed) judge.inconclusive(rule, misnamed)
    else judge.fail(rule, 'none is set', [reply.evidence()])
  } else {
    const read = await readRefreshed(target, session)
    const unsent = explainUnsentCookie(target.profile, reply)
    const evidence = [reply.evidence(), read.reply.evidence()]
    if (read.outcome === 'unclear')
      judge.inconclusive(rule, `set, and not served at first: ${read.explanation}`, evidence)
    else if (read.outcome === 'refused') judge.fail(rule, `set, and refused: ${read.explanation}`, evidence)
    else judge.that(rule, unsent === undefined, unsent ?? 'set, and alive', evidence)
  }
}

/** A rejection, also with 403, counts if it persists while a fresh session of the wallet is served. */
async function readRefreshed(target: Target, session: Session): ReturnType<typeof isStillServed> {
  const credential = getCredential(session)
  const reply = await request(target, credentialRead(target, credential))
  if (reply.status !== 401 && reply.status !== 403) {
    const read = await isAlive(target, credential)
    return { outcome: read.alive ? 'served' : 'unclear', reply: read.reply, explanation: 'rejected at first' }
  }
  const fresh = await signIn(target, session.wallet)
  try {
    return await isStillServed(target, credential, { witness: getCredential(fresh) })
  } finally {
    await endSession(target, fresh)
  }
}

function judgeHttpOnly(target: Target, judge: Judge, reply: Reply): void {
  const rule = 'auth.refresh.http-only'
  const names = Object.values(target.profile.choices.cookies)
  const set = reply.cookies.filter(({ name, value }) => names.includes(name) && value !== '')
  const readable = set.filter(({ httpOnly }) => !httpOnly).map(({ name }) => name)
  if (names.includes(null)) judge.skip(rule, 'the profile does not state the names of the cookies', 'choice')
  else if (set.length === 0) judge.inconclusive(rule, 'the refresh set neither cookie', [reply.evidence()])
  else judge.that(rule, readable.length === 0, `readable by scripts: ${readable.join(', ') || 'none'}`)
}

/**
 * A refresh token that was replaced, once or twice, must not work after the grace period. The API does not say whether its use
 * ends the session, so each has its own.
 */
export const replacedRefresh: Probe = {
  rules: ['auth.refresh.replaced-ends'],
  world: 'clock',
  async run(target, judge) {
    refreshCookieName(target)
    const { graceSeconds } = target.profile.choices.refresh
    const waitMs = requireChoice(graceSeconds, 'the grace period of a replaced refresh token') * 1000 + 1000
    mustBeAbleToWait(target, waitMs)
    const { held, release } = holdPasses(judge)
    await judgeReplaced(target, held, { waitMs, refreshes: 1 })
    if (canWait(target, 2 * waitMs)) await judgeReplaced(target, held, { waitMs, refreshes: 2 })
    release()
  },
}

function judgeReplaced(
  target: Target,
  judge: Judge,
  { waitMs, refreshes }: { waitMs: number; refreshes: number },
): Promise<void> {
  const name = refreshCookieName(target)
  return withSession(target, walletFor(target, 'race'), async (session) => {
    const stale = copySession(session)
    const evidence: string[] = []
    for (let number = 1; number <= refreshes; number++) {
      const before = session.cookies.get(name)
      const rotated = await refresh(target, session)
      mustHaveSentCsrf(session, rotated)
      const isReplaced = isSuccess(rotated) && session.cookies.get(name) !== before
      if (!isReplaced) throw new CannotJudge(`the refresh token was not replaced: ${rotated.evidence()}`)
      evidence.push(rotated.evidence())
    }
    await elapse(target, waitMs)
    const reply = await refresh(target, stale)
    const inside = await startsSession(target, { wallet: session.wallet, reply })
    if (!inside && !isClientError(reply))
      throw new CannotJudge(`neither a session nor a rejection: ${reply.evidence()}`)
    const seen = `${reply.status}, ${inside ? 'and a session' : 'no session'}, ${waitMs / 1000} s after refresh ${refreshes}`
    judge.that('auth.refresh.replaced-ends', !inside, seen, [...evidence, reply.evidence()])
  })
}

function findCookie(reply: Reply, name: string | null): { value: string } | undefined {
  return reply.cookies.find((cookie) => cookie.name === name)
}

function explainMisnamed({ profile }: Target, { verified }: Session): string | undefined {
  return explainMisnamedCookies(profile.choices, verified.cookies)
}

const ROTATES = 'auth.refresh.rotates'

/**
 * A sign-in leaves the refresh tokens of the wallet's earlier sessions valid. A rejection counts if it persists, with two new
 * sessions each time, while the earlier one is served and the later one refreshes. Passes nothing.
 */
export async function judgeEarlier(target: Target, judge: Judge, wallet: Wallet): Promise<void> {
  await unlessCannot(async () => {
    const { outcome, last, explanation } = await confirm<Attempt>({
      first: await refreshEarlier(target, wallet),
      describeError: ({ reply, isAlone }) => (isAlone ? String(reply.status) : undefined),
      again: () => refreshEarlier(target, wallet),
      witness: async () => ({ served: true, explanation: 'it reads, and the later session refreshes' }),
    })
    const seen = `a session whose wallet has signed in again since: ${explanation}`
    if (outcome === 'persistent') judge.fail(ROTATES, seen, [last.reply.evidence()])
  })
}

/** `isAlone`: only the refresh of the earlier session is rejected. */
type Attempt = { reply: Reply; isAlone: boolean }

async function refreshEarlier(target: Target, wallet: Wallet): Promise<Attempt> {
  const earlier = await signIn(target, wallet)
  try {
    const later = await signIn(target, wallet)
    try {
      const reply = await refresh(target, earlier)
      if (!isClientError(reply)) return { reply, isAlone: false }
      const { alive } = await isAlive(target, getCredential(earlier))
      return { reply, isAlone: alive && (await refreshLive(target, later)).served }
    } finally {
      await endSession(target, later)
    }
  } finally {
    await endSession(target, earlier)
  }
}
