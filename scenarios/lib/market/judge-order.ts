import { compareRows, type SortField } from '../../../contract/compare-rows.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { pickRows } from '../pick.ts'
import { confirm } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import type { Judge } from '../verdict/judge.ts'

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
      const read = () =>
        requestParsed(target, { path: '/explore/pools', query: { sort: name, order, limit: '50' } })
      const { problem, differing, evidence } = sort.stable
        ? judgeStable(await read(), { sort, order })
        : await judgeChanging(read, { sort, order })
      if (problem !== undefined) judge.fail(RULE, `sort ${name}, ${order}: ${problem}`, [evidence])
      if (sort.stable && differing > 0) ordered++
    }
  }
  if (!sorts.some(([, { stable }]) => stable))
    judge.skip(RULE, 'the profile marks no sort as stable', 'choice')
  else if (ordered < 2) judge.inconclusive(RULE, 'no two rows differ, so their order is unknown')
  else judge.pass(RULE, `${ordered} pages in order`)
}

type Sorted = { sort: SortField; order: Order }

function judgeStable(reply: Reply, sorted: Sorted) {
  const { disorder, differing } = compareRows(pickRows(reply.json, 'data') ?? [], sorted)
  return { problem: disorder, differing, evidence: reply.evidence() }
}

/** Figures may change between sorting and sending, so single rows out of place prove nothing. */
async function judgeChanging(read: () => Promise<Reply>, sorted: Sorted) {
  const { outcome, last, explanation } = await confirm({
    first: await read(),
    describeError: ({ json }) =>
      isOpposite(pickRows(json, 'data') ?? [], sorted) ? 'in the opposite order' : undefined,
    again: read,
    witness: async () => ({ served: true, explanation: '/explore/pools is served' }),
  })
  const problem = outcome === 'persistent' ? explanation : undefined
  return { problem, differing: 0, evidence: last.evidence() }
}

/** The whole page is in the opposite order. */
export function isOpposite(rows: readonly unknown[], { sort, order }: Sorted): boolean {
  const opposite = order === 'asc' ? 'desc' : 'asc'
  const { disorder, differing } = compareRows(rows, { sort, order: opposite })
  return disorder === undefined && differing >= DIFFERING_MIN
}
