import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { poolsOfSwap } from '../lib/market/swap-pools.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { told } from '../lib/probe/told.ts'
import type { Credential } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { walkPages } from '../lib/requests/walk.ts'

const FILTER = 'paging.swaps.filter'
const ANY_HOP = 'paging.swaps.filter-any-hop'

/** Swaps looked through for one of several hops, and for that one among those of its last pool. */
const SWAPS_MAX = 1000

/** The filter of /swaps takes any pool in the route: also that of a later hop. */
export const swapsFilter: Probe = {
  rules: [FILTER, ANY_HOP],
  world: 'main',
  async run(target, judge) {
    const name = told(target.profile.choices.swapsPoolFilter, 'the parameter of /swaps that filters by pool')
    const credential = await readCredential(target)
    const { rows } = await walkPages(target, {
      path: '/swaps',
      limit: 100,
      credential,
      rowsMax: SWAPS_MAX,
      until: hasLaterPool,
    })
    const far = rows.find(hasLaterPool)
    const swap = far ?? rows[0]
    const pool = swap && (laterPools(swap).at(-1) ?? poolsOfSwap(swap)[0])
    if (pool === undefined) throw new CannotJudge('no swap that names a pool')
    await mustBeKey(target, pool)
    const isOther = (row: Record<string, unknown>) => !poolsOfSwap(row).includes(pool)
    if (rows.some(isOther)) await judgeFilter(target, judge, { name, pool, credential })
    else judge.inconclusive(FILTER, 'all swaps seen go through one pool')
    if (far) await judgeAnyHop(target, judge, { name, pool, credential, swap: pickText(far, 'swap_id') })
    else judge.inconclusive(ANY_HOP, `none of ${rows.length} swaps goes through several pools`)
  },
}

/** Whether it is a swap to look for: one with an id, through several pools. */
function hasLaterPool(swap: Record<string, unknown>): boolean {
  return pickText(swap, 'swap_id') !== undefined && laterPools(swap).length > 0
}

function laterPools(swap: Record<string, unknown>): string[] {
  const [first, ...later] = poolsOfSwap(swap)
  return later.filter((pool) => pool !== first)
}

/** How a swap names its pools is stated for keys only where a key is what it is. */
async function mustBeKey(target: Target, pool: string): Promise<void> {
  const path = `/pools/${encodeURIComponent(pool)}`
  const reply = await requestParsed(target, { path, route: '/pools/{key}' })
  if (reply.status !== 200 || pick(reply.json, 'data.key') !== pool) {
    throw new CannotJudge(`what a swap names as its pool is no pool key: ${reply.evidence()}`)
  }
}

type Filter = { name: string; pool: string; credential: Credential }

async function judgeFilter(target: Target, judge: Judge, { name, pool, credential }: Filter): Promise<void> {
  const query = { limit: '100', [name]: pool }
  const reply = await requestParsed(target, { path: '/swaps', query, credential })
  const rows = pickRows(reply.json, 'data')
  const evidence = [reply.evidence()]
  if (reply.status !== 200 || !rows || rows.length === 0) {
    judge.inconclusive(FILTER, 'no swap under the filter', evidence)
    return
  }
  const wrong = rows.filter((row) => row.pool !== pool && !poolsOfSwap(row).includes(pool))
  judge.that(FILTER, wrong.length === 0, `${wrong.length} of ${rows.length} swaps of other pools`, evidence)
}

/** Twice before it counts as missing: new swaps may come while the list is paged. */
async function judgeAnyHop(
  target: Target,
  judge: Judge,
  { name, pool, credential, swap }: Filter & { swap: string | undefined },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const walk = await walkPages(target, {
      path: '/swaps',
      limit: 100,
      query: { [name]: pool },
      credential,
      rowsMax: SWAPS_MAX,
      until: (row) => pickText(row, 'swap_id') === swap,
    })
    const seen = `swap ${swap} among ${walk.rows.length} swaps of the last pool of its route`
    if (walk.rows.some((row) => pickText(row, 'swap_id') === swap)) return judge.pass(ANY_HOP, seen)
    if (!walk.ended) return judge.inconclusive(ANY_HOP, `not found: ${seen}`)
    if (attempt === 2) return judge.fail(ANY_HOP, `not found: ${seen}`, [walk.last.evidence()])
  }
}
