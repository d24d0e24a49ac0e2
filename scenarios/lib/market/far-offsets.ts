import type { Target } from '../../../contract/scenario-config.ts'
import { pick, pickRows } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { type Credential, isError, type Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { readTotal } from '../requests/walk.ts'
import type { Judge } from '../verdict/judge.ts'

const FAR_BEYOND = 1000
const BEYOND_INT32 = 3_000_000_000
/** A server that counts off the rows of a longer list may take too long. */
const TOTAL_MAX = 20_000

type Problem = { problem: string; evidence: string[] }

export async function judgeFarOffset(
  target: Target,
  judge: Judge,
  { rule, ...list }: { rule: string; path: string; credential?: Credential },
): Promise<void> {
  const far = await findFarOffset(target, list)
  if (far !== undefined) judge.fail(rule, far.problem, far.evidence)
}

/**
 * Reads pages far past the end of a list, one of them beyond 32 bits. Finds an error that persists, or rows that are said to be
 * past the end. Such an offset may be rejected, and may be clamped to one that exists. Leaves out long lists.
 */
export async function findFarOffset(
  target: Target,
  { path, credential }: { path: string; credential?: Credential },
): Promise<Problem | undefined> {
  const query = { limit: '10' }
  const total = readTotal((await requestParsed(target, { path, query, credential })).json)
  if (total === undefined || total > TOTAL_MAX) return undefined
  for (const offset of [total + FAR_BEYOND, BEYOND_INT32]) {
    const read = () =>
      requestParsed(target, { path, query: { ...query, offset: String(offset) }, credential })
    const { outcome, last, explanation } = await confirm({
      first: await read(),
      describeError: describePage,
      again: read,
      witness: async () => {
        const { status } = await requestParsed(target, { path, query, credential })
        return { served: status === 200, explanation: `the first page -> ${status}` }
      },
    })
    if (outcome === 'persistent')
      return { problem: `at offset ${offset}: ${explanation}`, evidence: [last.evidence()] }
  }
  return undefined
}

type Page = Pick<Reply, 'status' | 'json'>

function describePage(reply: Page): string | undefined {
  if (isError(reply)) return reply.status === 0 ? 'no response' : String(reply.status)
  return isPastEnd(reply) ? 'rows past the end' : undefined
}

/** The page has rows, although its own offset is at or past its own total. */
export function isPastEnd({ status, json }: Page): boolean {
  const [offset, total] = [pick(json, 'pagination.offset'), readTotal(json)]
  const rows = pickRows(json, 'data')?.length ?? 0
  return (
    status === 200 && rows > 0 && typeof offset === 'number' && total !== undefined && offset >= total + rows
  )
}
