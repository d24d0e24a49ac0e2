import { LIMITS } from '../../../contract/limits.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { getCredential, type Session, takeReply } from '../identity/session.ts'
import { tallyStatuses } from '../requests/reply.ts'
import { isSuccess, type Reply, type RequestSpec, send } from '../requests/request.ts'
import { hasControl } from '../time/has-control.ts'
import { CannotJudge } from '../verdict/judge.ts'
import { elapseLong } from '../world/control.ts'
import { type Ending, race } from './run-case.ts'

/**
 * Lets the access session expire, so every tab has to refresh. If the clock cannot be moved, the tabs refresh
 * early instead.
 */
export async function outliveAccess(target: Target): Promise<void> {
  if (hasControl(target)) await elapseLong(target, LIMITS.accessSessionSeconds * 1000 + 1000)
}

/**
 * Tabs share one cookie jar: each sends its original request, refreshes, and repeats the request after a tab
 * has won. Returns the refresh responses in the order in which they reached the browser, or with the losers'
 * last.
 */
export async function raceTabs(
  names: readonly string[],
  session: Session,
  { losersLast = false } = {},
): Promise<Reply[]> {
  const replies: Reply[] = []
  const credential = getCredential(session)
  let responses = 0
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
    responses++
    if (isWinner || !losersLast) reach(tab, reply)
    // Do not wait forever if there is no winner.
    if (isWinner || responses === names.length) wonBySomebody()
    await won
    if (!isWinner && losersLast) reach(tab, reply)
    return await goOn(tab, { session, reply })
  })
  return replies
}

/** Throws CannotJudge if a response is unrelated to the race (network error, 429, 5xx). */
export function mustBeUndisturbed(replies: readonly Reply[]): void {
  if (replies.some(({ status }) => status === 0 || status === 429 || status >= 500))
    throw new CannotJudge(`the race was disturbed by other errors: ${tallyStatuses(replies)}`)
}

/** Repeats the original request with the browser's current cookies. */
async function goOn(tab: Target, { session, reply }: { session: Session; reply: Reply }): Promise<Ending> {
  const { status } = await send(tab, original(getCredential(session)))
  const won = isSuccess(reply)
  return { won, text: `${won ? 'refreshed' : `rejected with ${reply.status}`}, then got ${status}` }
}

function original(credential: RequestSpec['credential']): RequestSpec {
  return { method: 'GET', path: '/swaps', query: { limit: '1' }, credential }
}
