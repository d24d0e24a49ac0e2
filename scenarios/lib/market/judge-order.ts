import { compareRows, type SortField } from '../../../contract/compare-rows.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import { mustBeServed } from '../requests/must-be-served.ts'
import type { Reply } from '../requests/request.ts'
import { CannotJudge, type Judge, NotServed } from '../verdict/judge.ts'

const PATH = '/explore/pools'
const RULE = 'paging.explore.order'
const ORDERS = ['asc', 'desc'] as const
type Order = (typeof ORDERS)[number]

/** Fewer pairs of neighbors that differ may be in the opposite order by chance, because the figures change. */
const DIFFERING_MIN = 4

/** Judges one page under each sort of the profile, in both directions. */
export async function judgeOrder(target: Target, judge: Judge): Promise<void> {
  const sorts = Object.entries(target.profile.choices.explorePools.sort)
  let ordered = 0
  for (const [name, sort] of sorts) {
    for (const order of ORDERS) {
      const seen = await judgePage(target, name, { sort, order })
      if (seen === undefined) break
      const { problem, differing, evidence } = seen
      if (problem !== undefined) judge.fail(RULE, `sort ${name}, ${order}: ${problem}`, [evidence])
      if (sort.stable && differing > 0) ordered++
    }
  }
  if (!sorts.some(([, { stable }]) => stable))
    judge.skip(RULE, 'the profile marks no sort as stable', 'choice')
  else if (ordered < 2) judge.inconclusive(RULE, 'no two rows differ, so their order is unknown')
  else judge.pass(RULE, `${ordered} pages in order`)
}

/** Undefined if the target does not serve this sort. */
async function judgePage(
  target: Target,
  name: string,
  sorted: Sorted & { sort: Sort },
): Promise<Seen | undefined> {
  const query = { sort: name, limit: '50' }
  const read = () =>
    mustBeServed(target, { path: PATH, query: { ...query, order: sorted.order } }, { path: PATH, query })
  try {
    return sorted.sort.stable ? judgeStable(await read(), sorted) : await judgeChanging(read, sorted)
  } catch (error) {
    if (error instanceof NotServed || !(error instanceof CannotJudge)) throw error
    return undefined
  }
}

type Seen = { problem: string | undefined; differing: number; evidence: string }

type Sorted = { sort: SortField; order: Order }
type Sort = SortField & { stable: boolean }

function judgeStable(reply: Reply, sorted: Sorted): Seen {
  const { disorder, differing } = compareRows(pickRows(reply.json, 'data') ?? [], sorted)
  return { problem: disorder, differing, evidence: reply.evidence() }
}

/** Figures may change between sorting and sending, so single rows out of place prove nothing. */
async function judgeChanging(read: () => Promise<Reply>, sorted: Sorted): Promise<Seen> {
  const { outcome, last, explanation } = await confirm({
    first: await read(),
    describeError: ({ json }) => describeOrder(pickRows(json, 'data') ?? [], sorted),
    again: read,
    witness: async () => ({ served: true, explanation: '/explore/pools is served' }),
  })
  const problem = outcome === 'persistent' ? explanation : undefined
  return { problem, differing: 0, evidence: last.evidence() }
}

function describeOrder(rows: readonly unknown[], sorted: Sorted): string | undefined {
  if (isOpposite(rows, sorted)) return 'in the opposite order'
  return isTextual(rows, sorted) ? 'in the order of text' : undefined
}

/** The whole page is in the order of its figures as text ("10" before "9"), and not in that of the numbers. */
export function isTextual(rows: readonly unknown[], { sort, order }: Sorted): boolean {
  if (sort.compare !== 'number') return false
  const asText = compareRows(rows, { sort: { ...sort, compare: 'text' }, order })
  const { disorder } = compareRows(rows, { sort, order })
  return disorder !== undefined && asText.disorder === undefined && asText.differing >= DIFFERING_MIN
}

/** The whole page is in the opposite order. */
export function isOpposite(rows: readonly unknown[], { sort, order }: Sorted): boolean {
  const opposite = order === 'asc' ? 'desc' : 'asc'
  const { disorder, differing } = compareRows(rows, { sort, order: opposite })
  return disorder === undefined && differing >= DIFFERING_MIN
}
