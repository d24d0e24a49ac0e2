// One of two losers of a refresh race does not wait for the winner.
import type { Target } from '../../contract/scenario-config.ts'
import { timePasses } from '../lib/case/follower.ts'
import {
  actor,
  awaitTriggeredFault,
  beginFaults,
  endFaults,
  outcome,
  runCase,
  step,
  tab,
} from '../lib/case/run-case.ts'
import { mustBeUndisturbed, outliveAccess } from '../lib/case/tab-race.ts'
import {
  challenge,
  copySession,
  endSession,
  getCredential,
  type Session,
  signIn,
  takeReply,
} from '../lib/identity/session.ts'
import { walletFor } from '../lib/identity/wallet.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { isSuccess, type Reply, send } from '../lib/requests/request.ts'
import { elapse, mustHaveControl } from '../lib/world/control.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('race') }

const SURVIVES = 'auth.refresh.race-survives'
/** Longer than the plan delays the winner's response. */
const WINDOW_MS = 2000

export function race(): Promise<void> {
  return runCase([SURVIVES], async (judge) => {
    const browser = actor('browser')
    const winner = tab(browser, 'winning-tab')
    const hasty = tab(browser, 'hasty-tab')
    const surrendering = tab(browser, 'surrendering-tab')
    const patient = tab(browser, 'patient-tab')
    mustHaveControl(browser, 'delaying the response to a refresh')
    await step('a browser signs in and opens the exchange in four tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    const before = copySession(session)

    await step('15 minutes later the access session has expired, and each tab gets 401')
    await outliveAccess(browser)
    for (const tab of [winner, hasty, surrendering, patient]) await read(tab, session)

    await step('one tab refreshes and wins; its response is still in transit')
    await beginFaults()
    const winning = refreshOnce(winner, before)
    await awaitTriggeredFault(winner)

    await step('the hasty tab refreshes too, is rejected, and repeats its request immediately')
    const replies = [await refreshOnce(hasty, before)]
    for (const reply of replies) takeReply(hasty, session, reply)
    const early = await read(hasty, session)
    outcome(
      hasty,
      isSuccess(early)
        ? "served: the losers share the winner's session"
        : `${early.status}: it shows the login page`,
    )

    await step('another tab takes its rejection for the end of the session')
    replies.push(await refreshOnce(surrendering, before))

    await step(
      'the patient tab is rejected too, waits until the winner has finished, and repeats its request',
    )
    replies.push(await refreshOnce(patient, before))
    await elapse(patient, WINDOW_MS)
    replies.push(await winning)
    await endFaults()
    mustBeUndisturbed(replies)
    await judgeReplies(patient, judge, {
      session,
      rules: { oneWinner: SURVIVES, survives: SURVIVES },
      replies,
    })
    const late = await read(patient, session)
    outcome(patient, `${late.status}: its user never noticed the race`)
    judge.pass(SURVIVES, "alive, with the winner's cookies")
    await step('the other tab shows the login page, and never repeats its request')
    await challenge(surrendering, session.wallet)
    await timePasses(surrendering)
    await endSession(browser, session)
  })
}

function read(tab: Target, session: Session): Promise<Reply> {
  return send(tab, {
    method: 'GET',
    path: '/swaps',
    query: { limit: '1' },
    credential: getCredential(session),
  })
}

function refreshOnce(tab: Target, session: Session): Promise<Reply> {
  return send(tab, {
    method: 'POST',
    path: '/auth/refresh',
    credential: getCredential(session),
    provokes: [409],
  })
}
