// Two tabs of one browser find their access session over, and refresh at once.
import { actor, step } from '../lib/case/actor.ts'
import { play } from '../lib/case/play.ts'
import { mustBeUndisturbed, outliveAccess, raceOfTabs } from '../lib/case/tab-race.ts'
import { endSession, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('tabs') }

const TABS = ['tab-1', 'tab-2']
const RULES = { oneWinner: 'auth.refresh.race-one-winner', survives: 'auth.refresh.race-survives' }

export function tabs(): Promise<void> {
  return play(Object.values(RULES), async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in, and has the exchange open in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('a quarter of an hour later its access session is over')
    await outliveAccess(browser)

    await step('both tabs go on at once')
    const replies = await raceOfTabs(TABS, session)
    mustBeUndisturbed(replies)

    await step('the browser goes on with the cookies that came last')
    await judgeReplies(browser, judge, { session, rules: RULES, replies })
    const seen = `a race of two tabs: ${tallyStatuses(replies)}`
    judge.pass(RULES.oneWinner, `${seen}: one winner`)
    judge.pass(RULES.survives, `${seen}: alive after it`)
    await endSession(browser, session)
  })
}
