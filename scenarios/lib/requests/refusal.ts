import type { Judge } from '../verdict/judge.ts'
import { isError, isSuccess, type Reply } from './request.ts'

/** Which 4xx a refusal has is stated for a few cases only. */
export function isRefusal({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 400 && status < 500
}

/**
 * Judges responses to what must be refused: a success fails the rule, and so does an error, as `request` returns only those that
 * persist. A response that is none of these, such as a redirect, leaves the rule open.
 */
export function judgeRefused(judge: Judge, rule: string, replies: readonly Reply[]): void {
  const wrong = replies.filter((reply) => isSuccess(reply) || isError(reply))
  const unclear = replies.filter((reply) => !isRefusal(reply) && !wrong.includes(reply))
  const statuses = replies.map(({ status }) => status).join(', ')
  const evidence = (wrong.length > 0 ? wrong : replies).map((reply) => reply.evidence())
  if (wrong.length > 0) judge.fail(rule, `answered ${statuses}`, evidence)
  else if (unclear.length > 0 || replies.length === 0)
    judge.inconclusive(rule, `neither taken nor refused: ${statuses}`, evidence)
  else judge.pass(rule, `refused with ${statuses}`, evidence)
}
