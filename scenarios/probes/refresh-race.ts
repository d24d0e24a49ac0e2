import type { Target } from '../../contract/scenario-config.ts'
import {
  copySession,
  endSession,
  getCredential,
  isAlive,
  mustHaveSentCsrf,
  refresh,
  refreshCookieName,
  replaceSession,
  type Session,
  signIn,
  takeReply,
  withSession,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { isSuccess, type Reply, send } from '../lib/requests/request.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { CannotJudge, CannotProbe } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'

type RaceRules = { oneWinner: string; survives: string }
type Race = { session: Session; racers: number; rules: RaceRules }

const RACERS = [2, 2, 6]
const CROWD = 50

export const refreshRaces: Probe = {
  rules: ['auth.refresh.race-one-winner', 'auth.refresh.race-survives'],
  world: 'clock',
  async run(target, judge) {
    const rules = { oneWinner: 'auth.refresh.race-one-winner', survives: 'auth.refresh.race-survives' }
    await withSession(target, walletFor(target, 'race'), async (session) => {
      for (const racers of RACERS) await judgeRace(target, judge, { session, racers, rules })
      const seen = `${RACERS.length} races of ${RACERS.join(', ')}`
      judge.pass(rules.oneWinner, `${seen}: one winner each`)
      judge.pass(rules.survives, `alive after ${seen}`)
    })
  },
}

/** A page with fifty requests under way makes that many when its session expires. */
export const raceOfFifty: Probe = {
  rules: ['auth.refresh.race-of-50'],
  world: 'clock',
  async run(target, judge) {
    const rule = 'auth.refresh.race-of-50'
    const limit = target.profile.choices.rateLimit
    if (limit !== null && limit.burst < 2 * CROWD)
      throw new CannotProbe(
        `needs a burst of ${2 * CROWD}, and the profile's rate limit (choices.rateLimit) has ${limit.burst}`,
      )
    await withSession(target, walletFor(target, 'raceOfFifty'), async (session) => {
      await judgeRace(target, judge, { session, racers: CROWD, rules: { oneWinner: rule, survives: rule } })
      judge.pass(rule, `a race of ${CROWD}: one session, which survives`)
    })
  },
}

/** Reports failures only. The caller passes the rules once all races are run. */
async function judgeRace(target: Target, judge: Judge, race: Race): Promise<void> {
  const first = await runRace(target, race)
  const replies = first.some(isBroken) ? await judgeBroken(target, judge, { race, replies: first }) : first
  await judgeReplies(target, judge, { ...race, replies })
}

/** Judges a race by its responses, and by whether the session survives their worst order. */
export async function judgeReplies(
  target: Target,
  judge: Judge,
  { session, rules, replies }: Pick<Race, 'session' | 'rules'> & { replies: readonly Reply[] },
): Promise<void> {
  const evidence = listEvidence(replies)
  const winners = replies.filter(isSuccess)
  const statuses = tallyStatuses(replies)
  if (winners.length === 0) {
    for (const reply of replies) mustHaveSentCsrf(session, reply)
    judge.fail(rules.oneWinner, `no winner: ${statuses}`, evidence)
  }
  // A loser's response may arrive after the winner's: an error that deletes cookies then deletes the new ones.
  const losers = replies.filter((reply) => !isSuccess(reply))
  for (const one of [...winners, ...losers]) takeReply(target, session, one)
  const last = await isAlive(target, getCredential(session))
  // If winners differ, the last to arrive may not be the newest, so a client refreshes again.
  const differ =
    new Set(winners.map(({ cookies }) => cookies.map(({ name, value }) => `${name}=${value}`).join('; ')))
      .size > 1
  const again = !last.alive && differ ? await refresh(target, session) : undefined
  const { alive, reply } = again ? await isAlive(target, getCredential(session)) : last
  if (!alive) {
    const seen = [...evidence, ...(again ? [again.evidence()] : []), reply.evidence()]
    judge.fail(rules.survives, 'the session ended in the race', seen)
    throw new CannotJudge('the session ended in a race, so no further race is possible')
  }
  if (winners.length > 1)
    await judgeWinners(target, judge, { session, winners, statuses, rule: rules.oneWinner })
}

/** The responses in the order of their arrival, as a browser sees them. */
async function runRace(target: Target, { session, racers }: Race): Promise<Reply[]> {
  const replies: Reply[] = []
  const credential = getCredential(session)
  await Promise.all(
    Array.from({ length: racers }, async () => {
      replies.push(await send(target, { method: 'POST', path: '/auth/refresh', credential, provokes: [409] }))
    }),
  )
  if (replies.some(({ status }) => status === 429 || status === 0)) {
    throw new CannotJudge(`the race was disturbed: ${tallyStatuses(replies)}`)
  }
  return replies
}

export function isBroken({ status }: Reply): boolean {
  return status >= 500
}

/**
 * Any request may get a 5xx: it counts only if a second race gets one too, while other requests do not. Returns the responses of
 * the first of two more races without a 5xx.
 */
export async function judgeBroken(
  target: Target,
  judge: Judge,
  { race, replies }: { race: Race; replies: readonly Reply[] },
): Promise<Reply[]> {
  const { session, rules } = race
  const raceAgain = async () => {
    await endSession(target, session)
    await signInAgain(target, session)
    return await runRace(target, race)
  }
  const second = await raceAgain()
  if (!second.some(isBroken)) return second
  const seen = `${tallyStatuses(replies)}, then ${tallyStatuses(second)}`
  const doubt = await explainTransient(target, second)
  if (doubt === undefined) {
    judge.fail(rules.oneWinner, seen, listEvidence(second))
    throw new CannotJudge(`races get 5xx: ${seen}`)
  }
  const third = await raceAgain()
  if (third.some(isBroken))
    throw new CannotJudge(
      `three races with a 5xx: ${seen}, then ${tallyStatuses(third)}; in the second, ${doubt}`,
    )
  return third
}

function listEvidence(replies: readonly Reply[]): string[] {
  const byStatus = new Map(replies.map((reply) => [reply.status, reply]))
  return [...byStatus.values()].map((reply) => reply.evidence())
}

/** Several winners must share one session: the browser's last token must work, the others not after the grace period. */
async function judgeWinners(
  target: Target,
  judge: Judge,
  race: { session: Session; winners: Reply[]; statuses: string; rule: string },
): Promise<void> {
  const { session, winners, statuses, rule } = race
  const findToken = (winner: Reply | undefined) => winner && findCookie(winner, refreshCookieName(target))
  const last = winners.at(-1)
  const different = winners.find((winner) => findToken(winner) !== findToken(last))
  if (!last || !different) return
  const grace = target.profile.choices.refresh.graceSeconds
  if (grace === null) {
    throw new CannotJudge(
      'several winners, and the profile does not state the grace period of a replaced token',
    )
  }
  const otherTab = copySession(session)
  takeReply(target, otherTab, different)
  const onward = await refresh(target, session)
  await elapse(target, grace * 1000 + 1000)
  const other = await refresh(target, otherTab)
  const shown = [different, last, onward, other]
  const evidence = shown.map((reply) => reply.evidence())
  if (!isSuccess(onward)) judge.fail(rule, `${statuses}: the last winner's token does not work`, evidence)
  else if (isSuccess(other) && !(await endTogether(target, session, otherTab))) {
    judge.fail(rule, `${statuses}: two separate sessions continue`, evidence)
  }
  // A server may treat the other tab's long-replaced token as stolen and end the session.
  if (!(await isAlive(target, getCredential(session))).alive) await signInAgain(target, session)
}

/** Checks that two tabs share one session, so a logout in one ends the other. Throws CannotJudge if a logout ends nothing. */
async function endTogether(target: Target, session: Session, otherTab: Session): Promise<boolean> {
  await endSession(target, session)
  if ((await isAlive(target, getCredential(session))).alive)
    throw new CannotJudge('several winners, and no working logout to check whether they share a session')
  const { alive } = await isAlive(target, getCredential(otherTab))
  if (alive) await endSession(target, otherTab)
  return !alive
}

async function signInAgain(target: Target, session: Session): Promise<void> {
  replaceSession(session, await signIn(target, session.wallet))
}

function findCookie(reply: Reply, name: string | null): string | undefined {
  return reply.cookies.find((cookie) => cookie.name === name)?.value
}

const SHARE_MIN = 0.1
const OTHERS = 20

/** Explains why repeated 5xx among concurrent requests prove nothing: they are rare, or other requests get them too. */
async function explainTransient(target: Target, replies: readonly Reply[]): Promise<string | undefined> {
  const broken = replies.filter(isBroken)
  const seen = `${broken.length} of ${replies.length} responses are 5xx`
  if (broken.length < SHARE_MIN * replies.length) return `only ${seen}`
  const others = await Promise.all(
    Array.from({ length: OTHERS }, () => send(target, { method: 'GET', path: '/pools' })),
  )
  const failedOthers = others.filter(({ status }) => status === 0 || status === 429 || status >= 500).length
  return failedOthers > 0 ? `${seen}, and ${failedOthers} of ${OTHERS} other reads failed too` : undefined
}
