import type { Target } from '../../contract/scenario-config.ts'
import { type Ending, race } from './actor.ts'
import { CannotJudge } from './cannot.ts'
import { isSuccess, type Reply, type RequestSpec, send } from './request.ts'
import { credentialOf, type Session, takeReply } from './session.ts'
import { tallyStatuses } from './tally-statuses.ts'

/**
 * Tabs of one browser, which share its cookies: each sends a request, is refused where the session is over, refreshes, and
 * sends it again once a refresh has been done. Returns the answers to their refreshes in the order in which they came;
 * throws CannotJudge where some tell nothing.
 */
export async function raceOfTabs(names: readonly string[], session: Session): Promise<Reply[]> {
  const replies: Reply[] = []
  const credential = credentialOf(session)
  let wonBySomebody = () => {}
  const won = new Promise<void>((resolve) => {
    wonBySomebody = resolve
  })
  await race(names, async (tab): Promise<Ending> => {
    await send(tab, original(credential))
    const reply = await send(tab, { method: 'POST', path: '/auth/refresh', credential, provokes: [409] })
    replies.push(reply)
    takeReply(tab, session, reply)
    // Nobody waits for a winner for ever, not even where there is none.
    if (isSuccess(reply) || replies.length === names.length) wonBySomebody()
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
