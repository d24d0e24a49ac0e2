import type { Target } from '../../../contract/scenario-config.ts'
import { type Reply, send } from '../requests/request.ts'
import { CannotJudge } from '../verdict/cannot.ts'

/** Fewer of the answers with a 5xx are no proof. */
const SHARE_MIN = 0.1
const OTHERS = 20

/**
 * Told of 5xx among answers to requests made at once, for a second time: throws CannotJudge where that may be what befalls
 * any request, as it is rare among them, or befalls others too.
 */
export async function throwIfPassingTrouble(target: Target, replies: readonly Reply[]): Promise<void> {
  const broken = replies.filter(({ status }) => status >= 500)
  const seen = `${broken.length} of ${replies.length} answers are 5xx`
  if (broken.length < SHARE_MIN * replies.length) throw new CannotJudge(`too rare to tell: ${seen}`)
  const others = await Promise.all(
    Array.from({ length: OTHERS }, () => send(target, { method: 'GET', path: '/pools' })),
  )
  const troubled = others.filter(({ status }) => status === 0 || status === 429 || status >= 500).length
  if (troubled > 0) throw new CannotJudge(`${seen}, and so it goes with ${troubled} of ${OTHERS} other reads`)
}
