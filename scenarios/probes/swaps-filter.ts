import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { readListedPool } from '../lib/market/read-listed-pool.ts'
import { poolsOfSwap } from '../lib/market/swap-pools.ts'
import { pick, pickRows, pickText } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import { confirmMissing } from '../lib/probe/confirm-missing.ts'
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
  const reply = await readListedPool(target, { key: pool, isListed: async () => true })
  if (reply?.status !== 200 || pick(reply.json, 'data.key') !== pool) {
    throw new CannotJudge(`what a swap names as its pool is no pool key: ${reply?.evidence()}`)
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

/** Missing is what stays so while the whole list has it: new swaps may come while pages are read. */
async function judgeAnyHop(
  target: Target,
  judge: Judge,
  { name, pool, credential, swap }: Filter & { swap: string | undefined },
): Promise<void> {
  const isSwap = (row: Record<string, unknown>) => pickText(row, 'swap_id') === swap
  const list = { path: '/swaps', limit: 100, credential, rowsMax: SWAPS_MAX, until: isSwap }
  let evidence: string[] = []
  const { looked, told } = await confirmMissing({
    look: async () => {
      const walk = await walkPages(target, { ...list, query: { [name]: pool } })
      evidence = [walk.last.evidence()]
      if (walk.rows.some(isSwap)) return 'found'
      return walk.ended ? 'missing' : 'too many'
    },
    isListed: async () => (await walkPages(target, list)).rows.some(isSwap),
  })
  const seen = `swap ${swap} among the swaps of the last pool of its route`
  if (looked === 'found') judge.pass(ANY_HOP, seen)
  else if (looked === 'missing') judge.fail(ANY_HOP, `not found: ${seen}: ${told}`, evidence)
  else judge.inconclusive(ANY_HOP, `not found: ${seen}: ${looked} ${told}`, evidence)
}
