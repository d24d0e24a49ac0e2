import type { Target } from '../../contract/scenario-config.ts'
import {
  copySession,
  credentialOf,
  endSession,
  isAlive,
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
import { CannotJudge, CannotProbe } from '../lib/verdict/cannot.ts'
import type { Judge } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'

type RaceRules = { oneWinner: string; survives: string }
type Race = { session: Session; racers: number; rules: RaceRules }

const RACERS = [2, 2, 6]
const CROWD = 50

/** Refreshes of one session at once. */
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

/** As many as a page with fifty requests under way makes when its session expires. */
export const raceOfFifty: Probe = {
  rules: ['auth.refresh.race-of-50'],
  world: 'clock',
  async run(target, judge) {
    const rule = 'auth.refresh.race-of-50'
    const limit = target.profile.choices.rateLimit
    if (limit !== null && limit.burst < 2 * CROWD)
      throw new CannotProbe(
        `${CROWD} requests at once are more than the rate limit of the profile allows for`,
      )
    await withSession(target, walletFor(target, 'raceOfFifty'), async (session) => {
      await judgeRace(target, judge, { session, racers: CROWD, rules: { oneWinner: rule, survives: rule } })
      judge.pass(rule, `a race of ${CROWD}: one session, alive after it`)
    })
  },
}

/** Says something only where the race went wrong; the passes are the caller's, once all races are run. */
async function judgeRace(target: Target, judge: Judge, race: Race): Promise<void> {
  const replies = await runRace(target, race)
  if (replies.some(isBroken)) await judgeBroken(target, judge, { race, replies })
  await judgeReplies(target, judge, { ...race, replies })
}

/** The verdict on a race: from its responses, and from whether the session is alive after the worst order of them. */
export async function judgeReplies(
  target: Target,
  judge: Judge,
  { session, rules, replies }: Pick<Race, 'session' | 'rules'> & { replies: readonly Reply[] },
): Promise<void> {
  const evidence = evidenceOf(replies)
  const winners = replies.filter(isSuccess)
  const statuses = tallyStatuses(replies)
  if (winners.length === 0) judge.fail(rules.oneWinner, `no winner: ${statuses}`, evidence)
  // A loser's response may reach the browser after the winner's: a refusal that deletes cookies then deletes the new ones.
  const losers = replies.filter((reply) => !isSuccess(reply))
  for (const one of [...winners, ...losers]) takeReply(target, session, one)
  const last = await isAlive(target, credentialOf(session))
  // Of several winners the one that came last may not be the one that was made last: a client refreshes once more.
  // All that got the same one have no other.
  const differ =
    new Set(winners.map((winner) => cookieOf(winner, target.profile.choices.cookies.access))).size > 1
  const again = !last.alive && differ ? await refresh(target, session) : undefined
  const { alive, reply } = again ? await isAlive(target, credentialOf(session)) : last
  if (!alive) {
    const seen = [...evidence, ...(again ? [again.evidence()] : []), reply.evidence()]
    judge.fail(rules.survives, 'the session is dead after the race', seen)
    throw new CannotJudge('the session died in a race, so there is none to race for')
  }
  if (winners.length > 1)
    await judgeWinners(target, judge, { session, winners, statuses, rule: rules.oneWinner })
}

/** The answers in the order in which they arrive: so a browser sees them. */
async function runRace(target: Target, { session, racers }: Race): Promise<Reply[]> {
  const replies: Reply[] = []
  const credential = credentialOf(session)
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

/** Whether the exchange failed at a request rather than answered it. */
export function isBroken({ status }: Reply): boolean {
  return status >= 500
}

/** A 5xx may befall any request: what accuses is one in a second race too, while other requests get none. */
export async function judgeBroken(
  target: Target,
  judge: Judge,
  { race, replies }: { race: Race; replies: readonly Reply[] },
): Promise<void> {
  const { session, rules } = race
  await endSession(target, session)
  await signInAgain(target, session)
  const second = await runRace(target, race)
  const seen = `${tallyStatuses(replies)}, and once more ${tallyStatuses(second)}`
  if (!second.some(isBroken)) throw new CannotJudge(`a 5xx in one race, and none in the next: ${seen}`)
  await throwIfPassingTrouble(target, second)
  judge.fail(rules.oneWinner, seen, evidenceOf(second))
  throw new CannotJudge(`races are answered with 5xx: ${seen}`)
}

/** An answer of each status. */
function evidenceOf(replies: readonly Reply[]): string[] {
  const byStatus = new Map(replies.map((reply) => [reply.status, reply]))
  return [...byStatus.values()].map((reply) => reply.evidence())
}

/**
 * Several winners are right only where they share one session. Where their refresh tokens differ: the browser, which holds
 * the last one, must be able to go on, and once the grace window is over the others must not.
 */
async function judgeWinners(
  target: Target,
  judge: Judge,
  race: { session: Session; winners: Reply[]; statuses: string; rule: string },
): Promise<void> {
  const { session, winners, statuses, rule } = race
  const tokenOf = (winner: Reply | undefined) => winner && cookieOf(winner, refreshCookieName(target))
  const last = winners.at(-1)
  const different = winners.find((winner) => tokenOf(winner) !== tokenOf(last))
  if (!last || !different) return
  const grace = target.profile.choices.refresh.graceSeconds
  if (grace === null) {
    throw new CannotJudge(
      'several winners, and the profile does not tell how long a replaced token is excused',
    )
  }
  const otherTab = copySession(session)
  takeReply(target, otherTab, different)
  const onward = await refresh(target, session)
  await elapse(target, grace * 1000 + 1000)
  const other = await refresh(target, otherTab)
  const shown = [different, last, onward, other]
  const evidence = shown.map((reply) => reply.evidence())
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
  replaceSession(session, await signIn(target, session.wallet))
}

function cookieOf(reply: Reply, name: string | null): string | undefined {
  return reply.cookies.find((cookie) => cookie.name === name)?.value
}

/** Fewer of the answers with a 5xx are no proof. */
const SHARE_MIN = 0.1
const OTHERS = 20

/**
 * Told of 5xx among answers to requests made at once, for a second time: throws CannotJudge where that may be what befalls
 * any request, as it is rare among them, or befalls others too.
 */
async function throwIfPassingTrouble(target: Target, replies: readonly Reply[]): Promise<void> {
  const broken = replies.filter(({ status }) => status >= 500)
  const seen = `${broken.length} of ${replies.length} answers are 5xx`
  if (broken.length < SHARE_MIN * replies.length) throw new CannotJudge(`too rare to tell: ${seen}`)
  const others = await Promise.all(
    Array.from({ length: OTHERS }, () => send(target, { method: 'GET', path: '/pools' })),
  )
  const troubled = others.filter(({ status }) => status === 0 || status === 429 || status >= 500).length
  if (troubled > 0) throw new CannotJudge(`${seen}, and so it goes with ${troubled} of ${OTHERS} other reads`)
}
