import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { requestParsed } from '../requests/request-parsed.ts'

type List = { path: string; query?: Record<string, string> }
type Problem = { problem: string; evidence: string[] }

const LIMITS = [1, 2, 3, 4, 5]

/** Finds a page with more rows than its limit. A page that is rejected is not judged. */
export async function findLargePage(target: Target, { path, query }: List): Promise<Problem | undefined> {
  for (const limit of LIMITS) {
    const reply = await requestParsed(target, { path, query: { ...query, limit: String(limit) } })
    const rows = reply.status === 200 ? (pickRows(reply.json, 'data')?.length ?? 0) : 0
    if (rows > limit) return { problem: `${rows} rows with limit=${limit}`, evidence: [reply.evidence()] }
  }
  return undefined
}

/**
 * Finds an offset that is rounded to a multiple of the limit: with limit=2, offset 1 has the two rows of offset 0, and
 * offset 2 others, four times. The list may have any order, and may grow.
 */
export async function findRoundedOffset(target: Target, list: List): Promise<Problem | undefined> {
  const { outcome, last, explanation } = await confirm({
    first: await readSteps(target, list),
    describeError: ({ pages }) => (isRounded(pages) ? 'offset 1 has the rows of offset 0' : undefined),
    again: () => readSteps(target, list),
    witness: async () => ({ served: true, explanation: `${list.path} is served` }),
  })
  return outcome === 'persistent' ? { problem: explanation, evidence: last.evidence } : undefined
}

type Steps = { pages: string[][]; evidence: string[] }

async function readSteps(target: Target, { path, query }: List): Promise<Steps> {
  const replies = []
  for (const offset of ['0', '1', '2'])
    replies.push(await requestParsed(target, { path, query: { ...query, limit: '2', offset } }))
  const listKeys = (json: unknown) => (pickRows(json, 'data') ?? []).map((row) => pickText(row, 'key') ?? '')
  return {
    pages: replies.map(({ status, json }) => (status === 200 ? listKeys(json) : [])),
    evidence: replies.map((reply) => reply.evidence()),
  }
}

/** @param pages the keys at the offsets 0, 1 and 2, with a limit of 2 */
export function isRounded(pages: readonly (readonly string[])[]): boolean {
  const [first = [], second = [], third = []] = pages
  const isWhole = first.length === 2 && new Set(first).size === 2 && !first.includes('')
  const isOther = third.length > 0 && third.every((key) => !first.includes(key))
  return isWhole && isOther && second.join('\n') === first.join('\n')
}
