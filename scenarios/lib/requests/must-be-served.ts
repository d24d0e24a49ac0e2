import type { Target } from '../../../contract/scenario-config.ts'
import { confirm } from '../confirm/confirm.ts'
import { CannotJudge, NotServed } from '../verdict/cannot.ts'
import { isError, type Reply, type RequestSpec } from './request.ts'
import { requestParsed } from './request-parsed.ts'

type Read = Omit<RequestSpec, 'method'>

/** A firewall may refuse the words of a query, whatever the credential; any request may be rate limited. */
const OF_OTHERS = [403, 429]

/**
 * Sends a read that the interface promises. An error is judged as `request` found it: it persists. A 4xx that persists while the sibling,
 * the same read with other parameters, is served throws NotServed; all else that is no 200 throws CannotJudge.
 */
export async function mustBeServed(target: Target, read: Read, sibling: Read): Promise<Reply> {
  const first = await requestParsed(target, read)
  if (first.status === 200) return first
  const witness = async () => {
    const { status } = await requestParsed(target, sibling)
    return { served: status === 200, told: `the same read with other parameters -> ${status}` }
  }
  if (isError(first)) {
    const { served, told } = await witness()
    if (served) throw new NotServed(`an error that persists, while ${told}`, [first.evidence()])
    throw new CannotJudge(`cannot be read: ${first.evidence()} (${told})`)
  }
  if (first.status < 400 || OF_OTHERS.includes(first.status))
    throw new CannotJudge(`cannot be read: ${first.evidence()}`)
  const { outcome, last, told } = await confirm({
    first,
    errorOf: ({ status }) => (status === 200 ? undefined : String(status)),
    again: () => requestParsed(target, read),
    witness,
  })
  if (outcome === 'persistent') throw new NotServed(told, [last.evidence()])
  if (outcome === 'gone') return last
  throw new CannotJudge(`cannot be read: ${first.evidence()} (${told})`)
}
