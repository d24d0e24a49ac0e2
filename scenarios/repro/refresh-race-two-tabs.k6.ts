// Two tabs of one browser find their access session over, and refresh at once.
import type { Target } from '../../contract/scenario-config.ts'
import { actor, type Ending, race, step } from '../lib/actor.ts'
import { CannotJudge } from '../lib/cannot.ts'
import { elapseLong } from '../lib/control.ts'
import { hasControl } from '../lib/has-control.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { play } from '../lib/play.ts'
import { isSuccess, type Reply, type RequestSpec, send } from '../lib/request.ts'
import { credentialOf, endSession, type Session, signIn, takeReply } from '../lib/session.ts'
import { tallyStatuses } from '../lib/tally-statuses.ts'
import { walletFor } from '../lib/wallet.ts'
import { judgeReplies } from '../probes/refresh-race.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('tabs') }

const TABS = ['tab-1', 'tab-2']
const RULES = { oneWinner: 'auth.refresh.race-one-winner', survives: 'auth.refresh.race-survives' }
const ACCESS_MS = 15 * 60_000

export function tabs(): Promise<void> {
  return play(Object.values(RULES), async (judge) => {
    const browser = actor('browser')
    await step('a browser signs in, and has the exchange open in two tabs')
    const session = await signIn(browser, walletFor(browser, 'race'))
    await step('a quarter of an hour later its access session is over')
    // A tab may refresh ahead of time as well: where the clock cannot be moved, nobody waits for so long.
    if (hasControl(browser)) await elapseLong(browser, ACCESS_MS + 1000)

    await step('both tabs go on at once')
    const replies = await raceOfTabs(session)

    await step('the browser goes on with the cookies that came last')
    await judgeReplies(browser, judge, { session, rules: RULES, replies })
    const seen = `a race of two tabs: ${tallyStatuses(replies)}`
    judge.pass(RULES.oneWinner, `${seen}: one winner`)
    judge.pass(RULES.survives, `${seen}: alive after it`)
    await endSession(browser, session)
  })
}

/** Both share one cookie jar, as tabs do. Returns the answers to their refreshes in the order in which they came. */
async function raceOfTabs(session: Session): Promise<Reply[]> {
  const replies: Reply[] = []
  const credential = credentialOf(session)
  let wonBySomebody = () => {}
  const won = new Promise<void>((resolve) => {
    wonBySomebody = resolve
  })
  await race(TABS, async (tab): Promise<Ending> => {
    await send(tab, original(credential))
    const reply = await send(tab, { method: 'POST', path: '/auth/refresh', credential, provokes: [409] })
    replies.push(reply)
    takeReply(tab, session, reply)
    // Nobody waits for a winner for ever, not even where there is none.
    if (isSuccess(reply) || replies.length === TABS.length) wonBySomebody()
    await won
    return await goOn(tab, { session, reply })
  })
  if (replies.some(({ status }) => status === 0 || status === 429 || status >= 500)) {
    throw new CannotJudge(`the race was disturbed: ${tallyStatuses(replies)}`)
  }
  return replies
}

/** The original request once more, with what the browser holds now. */
async function goOn(tab: Target, { session, reply }: { session: Session; reply: Reply }): Promise<Ending> {
  const { status } = await send(tab, original(credentialOf(session)))
  const won = isSuccess(reply)
  return { won, text: `${won ? 'refreshed' : `refused with ${reply.status}`}, then served with ${status}` }
}

function original(credential: RequestSpec['credential']): RequestSpec {
  return { method: 'GET', path: '/swaps', query: { limit: '1' }, credential }
}
