import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { readTotal } from '../requests/walk.ts'
import { searchSubjects } from './rows.ts'

const PATH = '/explore/pools'
/** Texts to try, since a search may be exact: those of most pools. */
const TEXTS_MAX = 3
/** Several, since rows with equal ranks may change places between requests. */
const OFFSETS = ['0', '1', '2', '3']

type Query = Record<string, string>

/**
 * Finds a search that ignores the offset: pages of one row at the offsets 0 to 3 have the same row, four times, although four or
 * more rows match.
 *
 * @param sorted a stable sort, so that rows do not move between the reads
 */
export async function findRepeatedPage(
  target: Target,
  sorted: Query,
): Promise<{ problem: string; evidence: string[] } | undefined> {
  const { json } = await requestParsed(target, { path: PATH, query: { limit: '50' } })
  const subjects = searchSubjects(pickRows(json, 'data') ?? [], 'Symbol')
  for (const { text } of subjects.slice(-TEXTS_MAX).reverse()) {
    const query = { ...sorted, search: text, limit: '1' }
    const first = await readEach(target, query)
    const { outcome, last, explanation } = await confirm({
      first,
      describeError: (pages) => (isRepeated(pages) ? 'four offsets have the same row' : undefined),
      again: () => readEach(target, query),
      witness: async () => ({ served: true, explanation: `${PATH} is served` }),
    })
    if (outcome === 'persistent')
      return {
        problem: `a search for ${JSON.stringify(text)}: ${explanation}`,
        evidence: last.map((page) => page.evidence()),
      }
    if (first.some((page) => isOfMany(page))) return undefined
  }
  return undefined
}

async function readEach(target: Target, query: Query): Promise<Reply[]> {
  const pages: Reply[] = []
  for (const offset of OFFSETS)
    pages.push(await requestParsed(target, { path: PATH, query: { ...query, offset } }))
  return pages
}

type Page = Pick<Reply, 'status' | 'json'>

/** @param pages those at the four offsets, with a limit of 1 */
export function isRepeated(pages: readonly Page[]): boolean {
  const keys = pages.flatMap(({ json }) => (pickRows(json, 'data') ?? []).map((row) => pickText(row, 'key')))
  return (
    pages.every(isOfMany) && keys.length === pages.length && keys[0] !== undefined && new Set(keys).size === 1
  )
}

function isOfMany({ status, json }: Page): boolean {
  return status === 200 && (readTotal(json) ?? 0) >= OFFSETS.length
}
