// Two tabs of one browser find their access session expired, and refresh at the same time.
import { actor, runCase, step } from '../lib/case/run-case.ts'
import { mustBeUndisturbed, outliveAccess, raceTabs } from '../lib/case/tab-race.ts'
import { endSession, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('tabs') }

const TABS = ['tab-1', 'tab-2']
const RULES = { oneWinner: 'auth.refresh.race-one-winner', survives: 'auth.refresh.race-survives' }

export function tabs(): Promise<void> {
  return runCase(Object.values(RULES), async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in and opens the exchange in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('15 minutes later the access session has expired')
    await outliveAccess(browser)

    await step('both tabs send a request at the same time')
    const replies = await raceTabs(TABS, session)
    mustBeUndisturbed(replies)

    await step('the browser continues with the cookies that arrived last')
    await judgeReplies(browser, judge, { session, rules: RULES, replies })
    const seen = `a race of two tabs: ${tallyStatuses(replies)}`
    judge.pass(RULES.oneWinner, `${seen}: one winner`)
    judge.pass(RULES.survives, `${seen}: still alive`)
    await endSession(browser, session)
  })
}
