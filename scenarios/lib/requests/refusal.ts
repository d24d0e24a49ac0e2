import type { Judge } from '../verdict/judge.ts'
import { isError, isSuccess, type Reply } from './request.ts'

/** Any 4xx: the specification names the exact status only in a few cases. */
export function isClientError({ status }: Pick<Reply, 'status'>): boolean {
  return status >= 400 && status < 500
}

/**
 * Judges replies that must be rejections. A success fails the rule, and so does an error, because `request` returns only errors
 * that persist. Anything else, such as a redirect, is inconclusive.
 */
export function judgeRejected(judge: Judge, rule: string, replies: readonly Reply[]): void {
  const wrong = replies.filter((reply) => isSuccess(reply) || isError(reply))
  const unclear = replies.filter((reply) => !isClientError(reply) && !wrong.includes(reply))
  const statuses = replies.map(({ status }) => status).join(', ')
  const evidence = (wrong.length > 0 ? wrong : replies).map((reply) => reply.evidence())
  if (wrong.length > 0) judge.fail(rule, `got ${statuses}`, evidence)
  else if (unclear.length > 0 || replies.length === 0)
    judge.inconclusive(rule, `neither accepted nor rejected: ${statuses}`, evidence)
  else judge.pass(rule, `rejected with ${statuses}`, evidence)
}
