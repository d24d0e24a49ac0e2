import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { findLowTotal } from '../lib/market/low-total.ts'
import { readListedPool } from '../lib/market/read-listed-pool.ts'
import { unlistedId } from '../lib/market/routes.ts'
import { listSwapPools } from '../lib/market/rows.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm, confirmMissing } from '../lib/requests/confirm.ts'
import type { Credential } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { isMissingIn, readTotal, type Walk, walkPages } from '../lib/requests/walk.ts'
import { byItself, CannotJudge, type Judge, requireChoice, unlessCannot } from '../lib/verdict/judge.ts'

type Row = Record<string, unknown>

const FILTER = 'paging.swaps.filter'
const ANY_HOP = 'paging.swaps.filter-any-hop'

/** Swaps to search for a multi-hop one, and to search its last pool's swaps for it. */
const SWAPS_MAX = 1000
const POOLS_MAX = 5
/** More pages to search for a swap through three pools. */
const MORE_PAGES_MAX = 4
/** Pools to choose one without swaps from. */
const POOLS_READ = 500
/** Pages of filtered swaps to check, since the filter may be lost on later pages. */
const PAGES_MAX = 3

/** The pool filter of /swaps matches any pool of the route, including later hops. */
export const swapsFilter: Probe = {
  rules: [FILTER, ANY_HOP],
  world: 'main',
  async run(target, judge) {
    const name = requireChoice(
      target.profile.choices.swapsPoolFilter,
      'the parameter of /swaps that filters by pool',
    )
    const credential = await readCredential(target)
    const list = { path: '/swaps', limit: 100, credential, rowsMax: SWAPS_MAX }
    const { rows, ended } = await walkPages(target, { ...list, until: hasLaterPool })
    const far = await rarest(target, rows.filter(hasLaterPool), { name, credential })
    const swap = far ?? rows[0]
    const pool = swap && (laterPools(swap).at(-1) ?? listSwapPools(swap)[0])
    if (pool === undefined) throw new CannotJudge('no swap names a pool')
    await mustBeKey(target, pool)
    const other = rows.map((row) => listSwapPools(row)).find((pools) => !pools.includes(pool))?.[0]
    const filter = { name, pool, credential }
    if (other !== undefined)
      await byItself(judge, FILTER, async () => {
        await unlessCannot(() => judgeOtherPools(target, judge, { ...filter, rows }))
        await judgeFilter(target, judge, { ...filter, other })
      })
    else judge.inconclusive(FILTER, 'all swaps read go through the same pool')
    const id = pickText(far, 'swap_id')
    if (far)
      await byItself(judge, ANY_HOP, async () => {
        const longest = await readLongest(target, { rows, ended, list })
        await judgeAnyHop(target, judge, { ...filter, swap: id, longest })
      })
    else judge.inconclusive(ANY_HOP, `none of ${rows.length} swaps goes through several pools`)
  },
}

function hasLaterPool(swap: Row): boolean {
  return pickText(swap, 'swap_id') !== undefined && laterPools(swap).length > 0
}

/** A route with a pool between its first and its last: reads on if no swap read so far has one. */
async function readLongest(
  target: Target,
  { rows, ended, list }: { rows: readonly Row[]; ended: boolean; list: Parameters<typeof walkPages>[1] },
): Promise<Row | undefined> {
  const known = findLongest(rows)
  if (ended || rows.length >= SWAPS_MAX || (known && hasMiddlePool(known))) return known
  const more = { ...list, from: rows.length, pagesMax: MORE_PAGES_MAX, until: hasMiddlePool }
  const walk = await walkPages(target, more).catch((error: unknown) => {
    // The swaps may end here, and another rule covers their pages.
    if (error instanceof CannotJudge) return undefined
    throw error
  })
  return findLongest([...rows, ...(walk?.rows ?? [])])
}

function countPools(swap: Row): number {
  return new Set(listSwapPools(swap)).size
}

export function hasMiddlePool(swap: Row): boolean {
  return hasLaterPool(swap) && countPools(swap) > 2
}

/** The swap with the most pools; of several, the first. */
export function findLongest(swaps: readonly Row[]): Row | undefined {
  return swaps.filter(hasLaterPool).sort((one, other) => countPools(other) - countPools(one))[0]
}

function laterPools(swap: Row): string[] {
  const [first, ...later] = listSwapPools(swap)
  return later.filter((pool) => pool !== first)
}

/** A swap's pool is only comparable if it is a pool key. */
async function mustBeKey(target: Target, pool: string): Promise<void> {
  const reply = await readListedPool(target, { key: pool, isListed: async () => true })
  if (reply?.status !== 200 || pick(reply.json, 'data.key') !== pool) {
    throw new CannotJudge(`the pool named by a swap is not a pool key: ${reply?.evidence()}`)
  }
}

type Filter = { name: string; pool: string; credential: Credential }

/** The swap whose last pool has the fewest swaps, since all of them are searched. Pools without a total come last. */
async function rarest(
  target: Target,
  swaps: readonly Row[],
  { name, credential }: Pick<Filter, 'name' | 'credential'>,
): Promise<Row | undefined> {
  const byPool = new Map(swaps.map((swap) => [laterPools(swap).at(-1) ?? '', swap]))
  const counted: { swap: Row; total: number }[] = []
  for (const [pool, swap] of [...byPool].slice(0, POOLS_MAX)) {
    const query = { limit: '1', [name]: pool }
    const { status, json } = await requestParsed(target, { path: '/swaps', query, credential })
    if (status !== 200) return swap
    counted.push({ swap, total: readTotal(json) ?? Number.POSITIVE_INFINITY })
  }
  return counted.sort((one, other) => (one.total < other.total ? -1 : 1))[0]?.swap
}

/** Reads one page, then, after a page of another pool, several small ones. */
async function judgeFilter(
  target: Target,
  judge: Judge,
  { name, pool, other, credential }: Filter & { other: string },
): Promise<void> {
  const pages: { of: string; walk: Walk }[] = []
  for (const { of, limit } of [
    { of: pool, limit: 100 },
    { of: other, limit: 100 },
    { of: pool, limit: 5 },
    // `pool` may have a single page.
    { of: other, limit: 2 },
  ]) {
    const list = { path: '/swaps', limit, credential, query: { [name]: of } }
    pages.push({ of, walk: await walkPages(target, { ...list, rowsMax: 100, pagesMax: PAGES_MAX }) })
  }
  const seen = pages.map(({ of, walk }) => ({ of, walk, wrong: countWrong(walk.rows, of) }))
  const bad = seen.find(({ wrong }) => wrong > 0)
  const stuck = seen.find(({ walk }) => isStuck(walk))
  const short = seen.find(({ walk }) => isShort(walk))
  if (short && !bad) await judgeTotal(target, judge, { ...short, name, credential })
  for (const { of, walk } of bad ? [] : seen.slice(0, 2)) {
    const list = { path: '/swaps', limit: 100, credential, query: { [name]: of }, rowsMax: 100 }
    const low = await findLowTotal(target, { ...list, start: walk, id: 'id' })
    if (low !== undefined) judge.fail(FILTER, low.problem, low.evidence)
  }
  if (bad) {
    const { wrong, walk } = bad
    judge.fail(FILTER, `${wrong} of ${walk.rows.length} swaps of other pools, ${describeFilter(name)}`, [
      walk.last.evidence(),
    ])
  } else if (stuck) judge.fail(FILTER, `${stuck.walk.stuck}`, [stuck.walk.last.evidence()])
  else if (seen.some(({ walk }) => walk.rows.length === 0))
    judge.inconclusive(FILTER, 'no swap under the filter')
  else judge.pass(FILTER, `no swap of other pools in ${seen.length} walks`)
}

/** Its name is open, and a server may ignore a parameter that it does not know. */
function describeFilter(name: string): string {
  return `filtered by ${name} (choices.swapsPoolFilter)`
}

function countWrong(rows: readonly Row[], pool: string): number {
  return rows.filter((row) => row.pool !== pool && !listSwapPools(row).includes(pool)).length
}

/** The walk got the same page again before all rows: past the end, an offset may be clamped. */
export function isStuck({
  stuck,
  rows,
  leastTotal = 0,
}: Pick<Walk, 'stuck' | 'rows' | 'leastTotal'>): boolean {
  return stuck !== undefined && rows.length < leastTotal
}

/** The walk reached the end with fewer rows than any of its totals: swaps that were added in that time are no reason. */
function isShort({ ended, rows, leastTotal = 0 }: Walk): boolean {
  return ended && rows.length < leastTotal
}

/** `total` may not count swaps that the filter leaves out. */
async function judgeTotal(
  target: Target,
  judge: Judge,
  { name, of, walk, credential }: Pick<Filter, 'name' | 'credential'> & { of: string; walk: Walk },
): Promise<void> {
  const list = { path: '/swaps', limit: 100, credential, query: { [name]: of } }
  const { outcome, last, explanation } = await confirm({
    first: walk,
    describeError: (seen) => (isShort(seen) ? 'fewer swaps of a pool than their total' : undefined),
    again: () => walkPages(target, { ...list, rowsMax: 100, pagesMax: PAGES_MAX }),
    witness: async () => ({ served: true, explanation: '/swaps' }),
  })
  const seen = `${last.rows.length} swaps, and the total is ${last.leastTotal}: ${explanation}`
  if (outcome === 'persistent') judge.fail(FILTER, seen, [last.last.evidence()])
  else if (outcome === 'open') judge.inconclusive(FILTER, seen, [last.last.evidence()])
}

/** The filter by a pool that is not there, and by one that no swap read goes through. Both may be rejected. */
async function judgeOtherPools(
  target: Target,
  judge: Judge,
  { name, credential, rows }: Filter & { rows: readonly Row[] },
): Promise<void> {
  const { rows: listed } = await walkPages(target, { path: '/pools', limit: 50, rowsMax: POOLS_READ })
  const keys = listed.flatMap((row) => pickText(row, 'key') ?? [])
  const traded = new Set(rows.flatMap((row) => listSwapPools(row)))
  for (const pool of [unlistedId(keys), keys.find((key) => !traded.has(key))]) {
    if (pool === undefined) continue
    const query = { limit: '10', [name]: pool }
    const reply = await requestParsed(target, { path: '/swaps', query, credential })
    const wrong = reply.status === 200 ? countWrong(pickRows(reply.json, 'data') ?? [], pool) : 0
    const seen = `${wrong} swaps of other pools than ${pool}, ${describeFilter(name)}`
    if (wrong > 0) judge.fail(FILTER, seen, [reply.evidence()])
  }
}

/** A swap counts as missing only if it stays so while the full list has it: new swaps may arrive between pages. */
async function judgeAnyHop(
  target: Target,
  judge: Judge,
  { longest, ...last }: Sought & { longest: Row | undefined },
): Promise<void> {
  const { state, seen, evidence } = await findAmong(target, last)
  if (state === 'found') {
    for (const pool of new Set(listSwapPools(longest))) {
      if (pool === last.pool && pickText(longest, 'swap_id') === last.swap) continue
      const other = await findAmong(target, { ...last, pool, swap: pickText(longest, 'swap_id') })
      // A pool with too many swaps proves nothing.
      if (other.state === 'missing') judge.fail(ANY_HOP, `not found: ${other.seen}`, other.evidence)
    }
    judge.pass(ANY_HOP, seen)
  } else if (state === 'missing') judge.fail(ANY_HOP, `not found: ${seen}`, evidence)
  else judge.inconclusive(ANY_HOP, `not found: ${seen}: ${state}`, evidence)
}

type Sought = Filter & { swap: string | undefined }

async function findAmong(target: Target, { name, pool, credential, swap }: Sought) {
  const isSwap = (row: Row) => pickText(row, 'swap_id') === swap
  const list = { path: '/swaps', limit: 100, credential, rowsMax: SWAPS_MAX, until: isSwap }
  let evidence: string[] = []
  const { state, explanation } = await confirmMissing({
    check: async () => {
      const walk = await walkPages(target, { ...list, query: { [name]: pool } })
      evidence = [walk.last.evidence()]
      if (walk.rows.some(isSwap)) return 'found'
      return isMissingIn(walk, list) ? 'missing' : 'too many'
    },
    isListed: async () => (await walkPages(target, list)).rows.some(isSwap),
  })
  return { state, seen: `swap ${swap} among those of ${pool}, a pool of its route ${explanation}`, evidence }
}
