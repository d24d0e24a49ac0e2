// Two tabs refresh at the same time; later, each refreshes again.
import { actor, outcome, runCase, step } from '../lib/case/run-case.ts'
import { mustBeUndisturbed, outliveAccess, raceTabs } from '../lib/case/tab-race.ts'
import { endSession, refresh, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { elapse } from '../lib/world/control.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('winners') }

const ONE = 'auth.refresh.race-one-winner'
/** Default if the profile does not state the grace period of a replaced token. */
const GRACE_SECONDS = 10

export function winners(): Promise<void> {
  return runCase([ONE], async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in and opens the exchange in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('15 minutes later the access session has expired')
    await outliveAccess(browser)

    await step('both tabs refresh at the same time')
    const replies = await raceTabs(['tab-1', 'tab-2'], session)
    mustBeUndisturbed(replies)
    const won = replies.filter(isSuccess).length
    outcome(browser, `${tallyStatuses(replies)}: ${won === 1 ? 'one winner' : `${won} winners`}`)

    await step('several winners are correct only if they share one session')
    await judgeReplies(browser, judge, { session, rules: { oneWinner: ONE, survives: ONE }, replies })

    await step("long after the race, each tab refreshes with the browser's cookies")
    await elapse(browser, (browser.profile.choices.refresh.graceSeconds ?? GRACE_SECONDS) * 1000 + 1000)
    for (const name of ['tab-1', 'tab-2']) {
      const tab = actor(name)
      outcome(tab, `got ${(await refresh(tab, session)).status}`)
    }
    judge.pass(ONE, `${tallyStatuses(replies)}: one session`)
    await endSession(browser, session)
  })
}
