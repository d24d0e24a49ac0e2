import type { Target } from '../../contract/scenario-config.ts'
import { pickRows } from '../lib/pick.ts'
import { CannotJudge } from '../lib/probe/cannot.ts'
import type { Judge } from '../lib/probe/judge.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { walkPages } from '../lib/requests/walk.ts'
import { judgeWholeWalks, type WholeWalk } from '../lib/requests/whole-walks.ts'

const COMPLETE = 'paging.pools.complete'
const ENDS = 'paging.pools.ends'

/** Of each walk: a list longer than that is walked at its beginning and at its end. */
const PAGES_MAX = 120
/** Small pages where the list is short, so that there are several; never so large that a target may refuse them. */
const PAGES_AIM = 60
const PAGE_SIZES = [7, 11]
const LIMIT_MAX = 100
const TRIES_MAX = 3
/** How far beyond its end the list is asked: it may grow meanwhile. */
const FAR_BEYOND = 1000

/** Walks over /pools, and past its end. */
export const poolsWalk: Probe = {
  rules: [COMPLETE, ENDS],
  world: 'main',
  async run(target, judge) {
    const total = await readPoolsTotal(target)
    await judgeComplete(target, judge, total)
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
  for (let tries = 1; ; tries++) {
    const first = await walkPools(target, Math.min(LIMIT_MAX, small ?? 0))
    const second = await walkPools(target, Math.min(LIMIT_MAX - 3, large ?? 0))
    const { verdict, told } = judgeWholeWalks(first, second)
    if (verdict === 'inconclusive' && tries < TRIES_MAX) continue
    const evidence = [first.end.last.evidence(), second.end.last.evidence()]
    return judge[verdict](COMPLETE, told, verdict === 'fail' ? evidence : [])
  }
}

async function walkPools(target: Target, limit: number): Promise<WholeWalk> {
  const list = { path: '/pools', limit, rowsMax: Number.POSITIVE_INFINITY, pagesMax: PAGES_MAX }
  const start = await walkPages(target, list)
  if (start.ended || start.stuck !== undefined || start.total === undefined)
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
  if (reply.status !== 200 || rows === undefined) judge.inconclusive(ENDS, `no page: ${reply.evidence()}`)
  else judge.that(ENDS, rows === 0, seen, [reply.evidence()])
}
