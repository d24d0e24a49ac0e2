import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { mustBeServed } from '../requests/must-be-served.ts'
import type { Credential } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { readTotal } from '../requests/walk.ts'
import { CannotJudge } from '../verdict/judge.ts'

export const HALF = 10
/** Maximum shift of a list to which swaps are added while it is read. */
const MOVED_MAX = 12
/** The API states no bound of an offset below the total, but a target may have one. */
const DEEP = 5000

/** Reads until the list stays unchanged, then describes the first problem with its pages. */
export async function compareSwapPages(
  target: Target,
  credential: Credential,
): Promise<{ problem: string | undefined; evidence: string[] }> {
  const read = async (offset: number, limit: number) => {
    const sibling = { path: '/swaps', query: { limit: String(limit) }, credential }
    const list = { ...sibling, query: { ...sibling.query, offset: String(offset) } }
    const reply = await (offset > DEEP ? requestParsed(target, list) : mustBeServed(target, list, sibling))
    const [rows, total] = [pickRows(reply.json, 'data'), readTotal(reply.json)]
    if (reply.status !== 200 || rows === undefined || total === undefined)
      throw new CannotJudge(`no page of swaps: ${reply.evidence()}`)
    return { ids: rows.map((row) => pickText(row, 'id') ?? ''), total, evidence: reply.evidence() }
  }
  for (let moved = 0; moved < MOVED_MAX; moved++) {
    const whole = await read(0, 2 * HALF)
    if (whole.ids.length <= HALF) throw new CannotJudge(`too few swaps to page: ${whole.ids.length}`)
    // Concurrently: the less time this takes, the fewer swaps are added.
    const [first, second, last] = await Promise.all([
      read(0, HALF),
      read(HALF, HALF),
      read(whole.total - 1, HALF),
    ])
    const again = await read(0, 2 * HALF)
    if (again.total !== whole.total || again.ids.join() !== whole.ids.join()) continue
    const evidence = [whole, first, second, last].map((page) => page.evidence)
    return { problem: findPagesProblem({ whole, first, second, last }), evidence }
  }
  throw new CannotJudge('swaps are added faster than their pages can be read')
}

type SwapPage = { ids: readonly string[]; total: number }

function findPagesProblem(
  pages: Record<'whole' | 'first' | 'second' | 'last', SwapPage>,
): string | undefined {
  const { whole, first, second, last } = pages
  const halves = [...first.ids, ...second.ids]
  const repeated = halves.filter((id, index) => halves.indexOf(id) !== index)
  const lost = whole.ids.filter((id) => !halves.includes(id))
  const totals = [whole, first, second].map(({ total }) => total)
  if (new Set(totals).size > 1) return `totals of ${totals.join(', ')}`
  if (repeated.length > 0) return `${repeated.length} swaps are on two pages, the first ${repeated[0]}`
  if (lost.length > 0 && halves.length >= whole.ids.length)
    return `${lost.length} swaps are on no page, the first ${lost[0]}`
  if (last.ids.length !== 1)
    return `${last.ids.length} swaps at the last offset of ${whole.total}; expected 1`
  return undefined
}
