// A page with fifty pending requests finds its access session expired, and each request refreshes it.
import { actor, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { mustBeUndisturbed, outliveAccess, raceTabs } from '../lib/case/tab-race.ts'
import { endSession, signIn } from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { tallyStatuses } from '../lib/requests/reply.ts'
import { CannotProbe } from '../lib/verdict/judge.ts'
import { isBroken, judgeBroken, judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('crowd') }

const RULE = 'auth.refresh.race-of-50'
const RULES = { oneWinner: RULE, survives: RULE }

export function crowd(): Promise<void> {
  return runCase([RULE], async (judge) => {
    const browser = actor('browser')
    const racers = readNumber('requests')
    const limit = browser.profile.choices.rateLimit
    if (limit !== null && limit.burst < 4 * racers)
      throw new CannotProbe(
        `needs a burst of ${4 * racers}, and the profile's rate limit (choices.rateLimit) has ${limit.burst}`,
      )
    await step('a browser signs in')
    const session = await signIn(browser, walletFor(browser, 'raceOfFifty'))
    await step('15 minutes later the access session has expired')
    await outliveAccess(browser)

    await step(`a page has ${racers} pending requests, and each of them refreshes`)
    const names = Array.from({ length: racers }, (_, place) => `request-${place + 1}`)
    const first = await raceTabs(names, session)
    const race = { session, racers, rules: RULES }
    const replies = first.some(isBroken) ? await judgeBroken(browser, judge, { race, replies: first }) : first
    mustBeUndisturbed(replies)

    await step('the browser continues with the cookies that arrived last')
    await judgeReplies(browser, judge, { session, rules: RULES, replies })
    judge.pass(RULE, `a race of ${racers}: ${tallyStatuses(replies)}, one session, still alive`)
    await endSession(browser, session)
  })
}
