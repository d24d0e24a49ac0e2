import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows, pickText } from '../pick.ts'
import { mustBeServed } from '../requests/must-be-served.ts'
import type { Credential } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { readTotal } from '../requests/walk.ts'
import { CannotJudge } from '../verdict/judge.ts'

export const HALF = 10
/** Reads of a list to which swaps are added, or whose pages come from replicas that differ. */
const TRIES_MAX = 20
/** The API states no bound of an offset below the total, but a target may have one. */
const DEEP = 5000

/** Reads until all pages come from one state of the list, which has one total, then describes the first problem with them. */
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
  const states = new Map<number, State>()
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const whole = await read(0, 2 * HALF)
    if (whole.ids.length <= HALF) throw new CannotJudge(`too few swaps to page: ${whole.ids.length}`)
    const known = states.get(whole.total)
    if (known === undefined || !isSame(known.whole, whole)) states.set(whole.total, { whole })
    else if (isComplete(known)) {
      const evidence = [known.whole, known.first, known.second, known.last].map((page) => page.evidence)
      return { problem: findPagesProblem(known), evidence }
    }
    // Concurrently: the less time this takes, the fewer swaps are added.
    const [first, second, last] = await Promise.all([
      read(0, HALF),
      read(HALF, HALF),
      read(whole.total - 1, HALF),
    ])
    if (second.ids.length > 0 && second.total <= HALF)
      return {
        problem: `${second.ids.length} swaps past the total of ${second.total}`,
        evidence: [second.evidence],
      }
    Object.assign(states.get(first.total) ?? {}, { first })
    Object.assign(states.get(second.total) ?? {}, { second })
    // Its offset is that of the last swap in one state only.
    if (last.total === whole.total) Object.assign(states.get(last.total) ?? {}, { last })
  }
  throw new CannotJudge('swaps are added faster than their pages can be read, or replicas differ')
}

type SwapPage = { ids: readonly string[]; total: number; evidence: string }

/** Pages with the same total, the others read after `whole`. */
type State = { whole: SwapPage; first?: SwapPage; second?: SwapPage; last?: SwapPage }

function isSame(one: SwapPage, other: SwapPage): boolean {
  return one.ids.join() === other.ids.join()
}

/** Has all pages, and both that start at the first swap start with the same one. */
function isComplete(state: State): state is Required<State> {
  const { whole, first, second, last } = state
  return first?.ids[0] === whole.ids[0] && second !== undefined && last !== undefined
}

function findPagesProblem({ whole, first, second, last }: Required<State>): string | undefined {
  const halves = [...first.ids, ...second.ids]
  const repeated = halves.filter((id, index) => halves.indexOf(id) !== index)
  const lost = whole.ids.filter((id) => !halves.includes(id))
  if (repeated.length > 0) return `${repeated.length} swaps are on two pages, the first ${repeated[0]}`
  if (lost.length > 0 && halves.length >= whole.ids.length)
    return `${lost.length} swaps are on no page, the first ${lost[0]}`
  if (last.ids.length !== 1)
    return `${last.ids.length} swaps at the last offset of ${whole.total}; expected 1`
  return undefined
}
