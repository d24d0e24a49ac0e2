// The answer to the loser of a refresh race reaches the browser after the winner’s.
import { actor, outcome, step } from '../lib/case/actor.ts'
import { play } from '../lib/case/play.ts'
import { mustBeUndisturbed, outliveAccess, raceOfTabs } from '../lib/case/tab-race.ts'
import { endSession, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { isSuccess } from '../lib/requests/request.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('cookies') }

const SURVIVES = 'auth.refresh.race-survives'

export function cookies(): Promise<void> {
  return play([SURVIVES], async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in, and has the exchange open in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('a quarter of an hour later its access session is over')
    await outliveAccess(browser)

    await step('both tabs refresh at once; the answer to the loser is the last to arrive')
    const replies = await raceOfTabs(['tab-1', 'tab-2'], session, { losersLast: true })
    mustBeUndisturbed(replies)
    const cleared = replies.filter((reply) => !isSuccess(reply)).flatMap((reply) => reply.cookies)
    outcome(browser, `holds ${session.cookies.size} cookies; refusals have touched ${cleared.length}`)

    await step('the browser goes on with what it holds')
    await judgeReplies(browser, judge, {
      session,
      rules: { oneWinner: SURVIVES, survives: SURVIVES },
      replies,
    })
    judge.pass(SURVIVES, `${tallyStatuses(replies)}: alive after it`)
    await endSession(browser, session)
  })
}
