import type { Target } from '../../contract/scenario-config.ts'
import { confirm } from '../lib/confirm/confirm.ts'
import { pickRows } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { isError } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { walkPages } from '../lib/requests/walk.ts'
import { judgeWholeWalks, type WalksVerdict, type WholeWalk } from '../lib/requests/whole-walks.ts'
import { byItself } from '../lib/verdict/by-itself.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const COMPLETE = 'paging.pools.complete'
const ENDS = 'paging.pools.ends'

/** Of each walk: a list longer than that is walked at its beginning and at its end. */
const PAGES_MAX = 120
/** Small pages where the list is short, so that there are several; never so large that a target may refuse them. */
const PAGES_AIM = 60
const PAGE_SIZES = [7, 11]
const LIMIT_MAX = 100
const TRIES_MAX = 3
/** Beyond twice the total: a list that goes on for so long is not walked to any end. */
const ROWS_MORE = 50
/** How far beyond its end the list is asked: it may grow meanwhile. */
const FAR_BEYOND = 1000

/** Walks over /pools, and past its end. */
export const poolsWalk: Probe = {
  rules: [COMPLETE, ENDS],
  world: 'main',
  async run(target, judge) {
    const total = await readPoolsTotal(target)
    await byItself(judge, COMPLETE, () => judgeComplete(target, judge, total))
    await judgeEnd(target, judge, total)
  },
}

async function readPoolsTotal(target: Target): Promise<number> {
  const { total, last } = await walkPages(target, { path: '/pools', limit: 7, rowsMax: 1 })
  if (total === undefined) throw new CannotJudge(`no total to go by: ${last.evidence()}`)
  return total
}

/** Two walks with page sizes that differ. A doubt may be due to a list that moved, or to replicas of which one is behind. */
async function judgeComplete(target: Target, judge: Judge, total: number): Promise<void> {
  const [small, large] = PAGE_SIZES.map((size) => Math.max(size, Math.ceil(total / PAGES_AIM)))
  const walkTwice = async () => {
    const first = await walkPools(target, total, Math.min(LIMIT_MAX, small ?? 0))
    const second = await walkPools(target, total, Math.min(LIMIT_MAX - 3, large ?? 0))
    const evidence = [first.end.last.evidence(), second.end.last.evidence()]
    return { ...judgeWholeWalks(first, second), evidence }
  }
  for (let tries = 1; ; tries++) {
    const { verdict, told, evidence } = await settle(walkTwice)
    if (verdict === 'inconclusive' && tries < TRIES_MAX) continue
    return judge[verdict](COMPLETE, told, verdict === 'fail' ? evidence : [])
  }
}

type Walked = WalksVerdict & { evidence: readonly string[] }

/** Walks longer than the total are a list that grows, and a count that is behind it, unless they go on to be. */
async function settle(walkTwice: () => Promise<Walked>): Promise<Walked & { verdict: Settled }> {
  const { outcome, last } = await confirm({
    first: await walkTwice(),
    errorOf: ({ verdict }) => (verdict === 'long' ? 'long' : undefined),
    again: walkTwice,
    witness: async () => ({ served: true, told: 'walked' }),
  })
  const { verdict } = last
  if (verdict !== 'long') return { ...last, verdict }
  return { ...last, verdict: outcome === 'persistent' ? 'fail' : 'inconclusive' }
}

type Settled = Exclude<WalksVerdict['verdict'], 'long'>

async function walkPools(target: Target, total: number, limit: number): Promise<WholeWalk> {
  const list = { path: '/pools', limit, rowsMax: 2 * total + ROWS_MORE, pagesMax: PAGES_MAX }
  const start = await walkPages(target, list)
  const isAll = start.ended || start.stuck !== undefined
  if (isAll || start.total === undefined || start.rows.length > start.total)
    return { start, end: start, from: 0 }
  const from = Math.max(0, start.total - 3 * limit)
  return { start, end: await walkPages(target, { ...list, from }), from }
}

/** Clients page until `data` is empty: there is such a page. Whether one so far out is refused is not stated. */
async function judgeEnd(target: Target, judge: Judge, total: number): Promise<void> {
  const query = { limit: '10', offset: String(total + FAR_BEYOND) }
  const reply = await requestParsed(target, { path: '/pools', query })
  const rows = pickRows(reply.json, 'data')?.length
  const seen = `${rows} rows ${FAR_BEYOND} beyond the total of ${total}`
  if (isError(reply))
    judge.fail(ENDS, `an error ${FAR_BEYOND} beyond the total of ${total}`, [reply.evidence()])
  else if (reply.status !== 200 || rows === undefined)
    judge.inconclusive(ENDS, `no page: ${reply.evidence()}`)
  else judge.that(ENDS, rows === 0, seen, [reply.evidence()])
}
