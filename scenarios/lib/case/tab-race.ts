import { LIMITS } from '../../../contract/limits.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { credentialOf, type Session, takeReply } from '../identity/session.ts'
import { tallyStatuses } from '../requests/reply.ts'
import { isSuccess, type Reply, type RequestSpec, send } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge } from '../verdict/cannot.ts'
import { elapseLong } from '../world/control.ts'
import { type Ending, race } from './actor.ts'

/**
 * Lets the access session end, so that every tab has to refresh. A tab may do so ahead of time as well: where the clock
 * cannot be moved, nobody waits for so long.
 */
export async function outliveAccess(target: Target): Promise<void> {
  if (hasControl(target)) await elapseLong(target, LIMITS.accessSessionSeconds * 1000 + 1000)
}

/**
 * Tabs share one cookie jar: each asks for what it wants, refreshes, and asks once more when somebody has won. Returns the
 * answers to their refreshes in the order in which they reached the browser: as they came, or those of losers last.
 */
export async function raceOfTabs(
  names: readonly string[],
  session: Session,
  { losersLast = false } = {},
): Promise<Reply[]> {
  const replies: Reply[] = []
  const credential = credentialOf(session)
  let answers = 0
  let wonBySomebody = () => {}
  const won = new Promise<void>((resolve) => {
    wonBySomebody = resolve
  })
  const reach = (tab: Target, reply: Reply) => {
    replies.push(reply)
    takeReply(tab, session, reply)
  }
  await race(names, async (tab): Promise<Ending> => {
    await send(tab, original(credential))
    const reply = await send(tab, { method: 'POST', path: '/auth/refresh', credential, provokes: [409] })
    const isWinner = isSuccess(reply)
    answers++
    if (isWinner || !losersLast) reach(tab, reply)
    // Nobody waits for a winner for ever, not even where there is none.
    if (isWinner || answers === names.length) wonBySomebody()
    await won
    if (!isWinner && losersLast) reach(tab, reply)
    return await goOn(tab, { session, reply })
  })
  return replies
}

/** Throws CannotJudge where some of the answers say nothing of the race. */
export function mustBeUndisturbed(replies: readonly Reply[]): void {
  if (replies.some(({ status }) => status === 0 || status === 429 || status >= 500))
    throw new CannotJudge(`the race was disturbed: ${tallyStatuses(replies)}`)
}

/** The original request once more, with what the browser holds now. */
async function goOn(tab: Target, { session, reply }: { session: Session; reply: Reply }): Promise<Ending> {
  const { status } = await send(tab, original(credentialOf(session)))
  const won = isSuccess(reply)
  return { won, text: `${won ? 'refreshed' : `refused with ${reply.status}`}, then answered with ${status}` }
}

function original(credential: RequestSpec['credential']): RequestSpec {
  return { method: 'GET', path: '/swaps', query: { limit: '1' }, credential }
}
