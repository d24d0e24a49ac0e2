// The loser's response in a refresh race reaches the browser after the winner's.
import { actor, outcome, runCase, step } from '../lib/case/run-case.ts'
import { mustBeUndisturbed, outliveAccess, raceTabs } from '../lib/case/tab-race.ts'
import { endSession, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('cookies') }

const SURVIVES = 'auth.refresh.race-survives'

export function cookies(): Promise<void> {
  return runCase([SURVIVES], async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in and opens the exchange in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('15 minutes later the access session has expired')
    await outliveAccess(browser)

    await step("both tabs refresh at the same time; the loser's response arrives last")
    const replies = await raceTabs(['tab-1', 'tab-2'], session, { losersLast: true })
    mustBeUndisturbed(replies)
    const cleared = replies.filter((reply) => !isSuccess(reply)).flatMap((reply) => reply.cookies)
    outcome(browser, `holds ${session.cookies.size} cookies; rejections changed ${cleared.length}`)

    await step('the browser continues with its cookies')
    await judgeReplies(browser, judge, {
      session,
      rules: { oneWinner: SURVIVES, survives: SURVIVES },
      replies,
    })
    judge.pass(SURVIVES, `${tallyStatuses(replies)}: alive after it`)
    await endSession(browser, session)
  })
}
