// Two tabs refresh at once: what becomes of either once the race is long over.
import { actor, outcome, step } from '../lib/case/actor.ts'
import { play } from '../lib/case/play.ts'
import { mustBeUndisturbed, outliveAccess, raceOfTabs } from '../lib/case/tab-race.ts'
import { endSession, refresh, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('winners') }

const ONE = 'auth.refresh.race-one-winner'
/** Where the profile does not tell how long a replaced token is excused. */
const GRACE_SECONDS = 10

export function winners(): Promise<void> {
  return play([ONE], async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in, and has the exchange open in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('a quarter of an hour later its access session is over')
    await outliveAccess(browser)

    await step('both tabs refresh at once')
    const replies = await raceOfTabs(['tab-1', 'tab-2'], session)
    mustBeUndisturbed(replies)
    const won = replies.filter(isSuccess).length
    outcome(browser, `${tallyStatuses(replies)}: ${won === 1 ? 'one winner' : `${won} winners`}`)

    await step('several winners are right only if they share one session')
    await judgeReplies(browser, judge, { session, rules: { oneWinner: ONE, survives: ONE }, replies })

    await step('the race is long over: each tab refreshes with what the browser holds')
    await elapse(browser, (browser.profile.choices.refresh.graceSeconds ?? GRACE_SECONDS) * 1000 + 1000)
    for (const name of ['tab-1', 'tab-2']) {
      const tab = actor(name)
      outcome(tab, `answered with ${(await refresh(tab, session)).status}`)
    }
    judge.pass(ONE, `${tallyStatuses(replies)}: one session`)
    await endSession(browser, session)
  })
}
