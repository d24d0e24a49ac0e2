import type { Target } from '../../../contract/scenario-config.ts'
import { confirm } from '../requests/confirm.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { readTotal } from '../requests/walk.ts'
import { CannotJudge } from '../verdict/judge.ts'

const PATH = '/explore/pools'

type Query = Record<string, string>

/**
 * Finds a window or a sort that leaves out pools: its total is less than the total that the plain list had before the first
 * attempt, four times. By the last attempt a replica that is a little behind has those pools too. A query that is rejected is not judged.
 */
export async function findLeftOutRows(
  target: Target,
  queries: readonly Query[],
): Promise<{ problem: string; evidence: string[] } | undefined> {
  const read = (query: Query) => requestParsed(target, { path: PATH, query: { ...query, limit: '1' } })
  const plain = await read({})
  const all = readTotal(plain.json)
  if (plain.status !== 200 || all === undefined) throw new CannotJudge(`no total: ${plain.evidence()}`)
  for (const query of queries) {
    const { outcome, last, explanation } = await confirm({
      first: await read(query),
      describeError: ({ status, json }) =>
        status === 200 && (readTotal(json) ?? all) < all ? 'fewer pools than the plain list' : undefined,
      again: () => read(query),
      witness: async () => {
        const counted = readTotal((await read({})).json) ?? 0
        return { served: counted >= all, explanation: `${counted} pools in the plain list` }
      },
    })
    if (outcome !== 'persistent') continue
    const problem = `${JSON.stringify(query)}: ${readTotal(last.json)} of ${all} pools: ${explanation}`
    return { problem, evidence: [plain.evidence(), last.evidence()] }
  }
  return undefined
}
