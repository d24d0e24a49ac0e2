import type { Target } from '../../contract/scenario-config.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { elapse } from '../lib/control.ts'
import type { Judge } from '../lib/judge.ts'
import { throwIfPassingTrouble } from '../lib/passing-trouble.ts'
import type { Probe } from '../lib/probe.ts'
import { type Credential, isSuccess, type Reply, send } from '../lib/request.ts'
import {
  copySession,
  credentialOf,
  endSession,
  isAlive,
  refresh,
  refreshCookieName,
  type Session,
  signIn,
  takeReply,
  withSession,
} from '../lib/session.ts'
import { walletFor } from '../lib/wallet.ts'

const RACERS = [2, 2, 6]

/** Refresh, alone and in a race. */
export const refreshRules: Probe = {
  rules: ['auth.refresh.rotates', 'auth.refresh.race-one-winner', 'auth.refresh.race-survives'],
  world: 'clock',
  async run(target, judge) {
    await withSession(target, walletFor(target, 'race'), async (session) => {
      await judgeRotation(target, judge, session)
      for (const racers of RACERS) await judgeRace(target, judge, { session, racers })
      const seen = `${RACERS.length} races of ${RACERS.join(', ')}`
      judge.pass('auth.refresh.race-one-winner', `${seen}: one winner each`)
      judge.pass('auth.refresh.race-survives', `alive after ${seen}`)
    })
  },
}

async function judgeRotation(target: Target, judge: Judge, session: Session): Promise<void> {
  const rule = 'auth.refresh.rotates'
  const name = target.profile.choices.cookies.refresh
  const old = name === null ? undefined : session.cookies.get(name)
  if (name === null) judge.skip(rule, 'the profile does not tell the name of the refresh cookie')
  else if (old === undefined) judge.inconclusive(rule, `sign-in set no cookie ${name}`)
  const reply = await refresh(target, session)
  const fresh = reply.cookies.find((cookie) => cookie.name === name)?.value
  const seen =
    fresh === undefined
      ? 'no new refresh cookie'
      : fresh === old
        ? 'the same refresh cookie'
        : 'a new refresh cookie'
  const holds = isSuccess(reply) && seen === 'a new refresh cookie'
  judge.that(rule, holds, `${reply.status}, ${seen}`, [reply.evidence()])
}

/** Says something only where the race went wrong; the passes are the caller's, once all races are run. */
async function judgeRace(
  target: Target,
  judge: Judge,
  race: { session: Session; racers: number; isSecond?: true },
): Promise<void> {
  const { session, racers } = race
  // In the order in which they arrive: so a browser sees them.
  const replies: Reply[] = []
  const credential = credentialOf(session)
  await Promise.all(
    Array.from({ length: racers }, async () => {
      replies.push(await raceOnce(target, credential))
    }),
  )
  const evidence = replies.map((reply) => reply.evidence())
  const winners = replies.filter(isSuccess)
  const statuses = replies.map(({ status }) => status).join(', ')
  if (replies.some(({ status }) => status === 429 || status === 0)) {
    throw new CannotJudge(`the race was disturbed: ${statuses}`)
  }
  const broken = replies.filter(({ status }) => status >= 500)
  if (broken.length > 0 && !race.isSecond) {
    await endSession(target, session)
    await signInAgain(target, session)
    return await judgeRace(target, judge, { ...race, isSecond: true })
  }
  if (broken.length > 0) await throwIfPassingTrouble(target, replies)
  if (broken.length > 0) judge.fail('auth.refresh.race-one-winner', `answers ${statuses}`, evidence)
  if (winners.length === 0) judge.fail('auth.refresh.race-one-winner', `no winner: ${statuses}`, evidence)
  // As the browser goes on: with the cookies that came last, also where a loser's answer took them away.
  for (const one of replies) takeReply(target, session, one)
  const last = await isAlive(target, credentialOf(session))
  // Of several winners the one that came last may not be the one that was made last: a client refreshes once more.
  const again = !last.alive && winners.length > 1 ? await refresh(target, session) : undefined
  const { alive, reply } = again ? await isAlive(target, credentialOf(session)) : last
  if (!alive) {
    const seen = [...evidence, ...(again ? [again.evidence()] : []), reply.evidence()]
    judge.fail('auth.refresh.race-survives', 'the session is dead after the race', seen)
    throw new CannotJudge('the session died in a race, so there is none to race for')
  }
  if (winners.length > 1) await judgeWinners(target, judge, { session, winners, statuses })
}

function raceOnce(target: Target, credential: Credential): Promise<Reply> {
  return send(target, { method: 'POST', path: '/auth/refresh', credential, provokes: [409] })
}

/**
 * Several winners are right only where they share one session. Where their refresh tokens differ: the browser, which holds
 * the last one, must be able to go on, and once the grace window is over the others must not.
 */
async function judgeWinners(
  target: Target,
  judge: Judge,
  { session, winners, statuses }: { session: Session; winners: Reply[]; statuses: string },
): Promise<void> {
  const rule = 'auth.refresh.race-one-winner'
  const [first, ...others] = winners
  const tokens = new Set(winners.map((winner) => cookieOf(winner, refreshCookieName(target))))
  if (tokens.size === 1 || !first || others.length === 0) return
  const grace = target.profile.choices.refresh.graceSeconds
  if (grace === null) {
    throw new CannotJudge(
      'several winners, and the profile does not tell how long a replaced token is excused',
    )
  }
  const otherTab = copySession(session)
  takeReply(target, otherTab, first)
  const onward = await refresh(target, session)
  await elapse(target, grace * 1000 + 1000)
  const other = await refresh(target, otherTab)
  const evidence = [...winners.map((winner) => winner.evidence()), onward.evidence(), other.evidence()]
  if (!isSuccess(onward)) judge.fail(rule, `${statuses}: the last of the winners is stranded`, evidence)
  else if (isSuccess(other) && !(await endTogether(target, session, otherTab))) {
    judge.fail(rule, `${statuses}: two sessions that go on apart`, evidence)
  }
  // The other tab held a token that was replaced long ago: a server may take it for a stolen one, and end the session.
  if (!(await isAlive(target, credentialOf(session))).alive) await signInAgain(target, session)
}

/** Whether two tabs share one session: then a logout in one ends the other. Throws CannotJudge where a logout ends nothing. */
async function endTogether(target: Target, session: Session, otherTab: Session): Promise<boolean> {
  await endSession(target, session)
  if ((await isAlive(target, credentialOf(session))).alive)
    throw new CannotJudge('several winners, and no logout to tell by whether they share one session')
  const { alive } = await isAlive(target, credentialOf(otherTab))
  if (alive) await endSession(target, otherTab)
  return !alive
}

async function signInAgain(target: Target, session: Session): Promise<void> {
  const { cookies, csrf } = await signIn(target, session.wallet)
  Object.assign(session, { cookies, csrf })
}

function cookieOf(reply: Reply, name: string): string | undefined {
  return reply.cookies.find((cookie) => cookie.name === name)?.value
}
