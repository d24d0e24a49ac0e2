import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { compareRows, judgeWholeWalks, type WalksVerdict, type WholeWalk } from '../lib/market/rows.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isError } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { readTotal, type Walk, walkPages } from '../lib/requests/walk.ts'
import { pause } from '../lib/time/pause.ts'
import { CannotJudge } from '../lib/verdict/cannot.ts'
import { byItself, holdPasses, type Judge } from '../lib/verdict/judge.ts'

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
/** An offset is an int64. */
const BEYOND_INT32 = 3_000_000_000

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
  const { held, release } = holdPasses(judge)
  for (const offset of [total + FAR_BEYOND, BEYOND_INT32]) {
    const query = { limit: '10', offset: String(offset) }
    const reply = await requestParsed(target, { path: '/pools', query })
    const rows = pickRows(reply.json, 'data')?.length
    const seen = `at offset ${offset}, with a total of ${total}`
    if (isError(reply)) held.fail(ENDS, `an error ${seen}`, [reply.evidence()])
    else if (reply.status === 200 && rows !== undefined)
      held.that(ENDS, rows === 0, `${rows} rows ${seen}`, [reply.evidence()])
    // An offset so large may be refused for its size.
    else if (offset < BEYOND_INT32) held.inconclusive(ENDS, `no page: ${reply.evidence()}`)
  }
  release()
}

const ROWS_MAX = 300
/** As often, and over as long, as shows that a problem does not pass. */
const TRIES = 4
const PAUSE_MS = 1700

type Sort = Target['profile']['choices']['explorePools']['sort'][string]

/** Walks over /explore/pools: nothing lost, nothing twice, nothing out of order, as far as the specification lets it be judged. */
export const exploreWalk: Probe = {
  rules: ['paging.explore.complete', 'paging.explore.order'],
  world: 'main',
  async run(target, judge) {
    await judgeStableSort(target, judge)
    await judgeOrder(target, judge)
  },
}

/** Under a stable sort two walks with different page sizes must tell the same story. */
async function judgeStableSort(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.explore.complete'
  const stable = Object.entries(target.profile.choices.explorePools.sort).find(([, sort]) => sort.stable)
  if (!stable) {
    judge.skip(rule, 'the profile marks no sort as stable', 'choice')
    return
  }
  const [name, sort] = stable
  const walked = await walkTwiceUntilSettled(target, name, sort)
  const { keys, narrow, differing, problems } = walked
  const seen = `${keys.length} rows in ${narrow.pages} pages, sort ${name}`
  // Rows without a key break another rule.
  if (walked.allKeys.includes('')) judge.inconclusive(rule, `not all rows have a key: ${seen}`)
  if (problems.length > 0) judge.fail(rule, `${seen}: ${problems.join('; ')}`, [narrow.last.evidence()])
  else if (narrow.pages < 3) judge.inconclusive(rule, `too few rows to page: ${seen}`)
  else if (differing === 0) judge.inconclusive(rule, `no two rows differ in ${sort.field}: ${seen}`)
  else judge.pass(rule, seen)
}

/**
 * A row that is lost between two replicas is there the next time; one that the list loses is lost each time. A row that was only just
 * listed may be missing from a replica that is behind: what is lost at last was in the list all along.
 */
async function walkTwiceUntilSettled(target: Target, name: string, sort: Sort) {
  let listed: string[] | undefined
  for (let tries = 1; ; tries++) {
    const walked = await walkTwice(target, { name, sort, listed })
    if (walked.problems.length === 0 || tries === TRIES) return walked
    listed = walked.listed
    await pause(PAUSE_MS)
  }
}

/** `listed`: the keys of rows that earlier walks had, if there were any. */
async function walkTwice(
  target: Target,
  { name, sort, listed }: { name: string; sort: Sort; listed: readonly string[] | undefined },
) {
  const query = { sort: name, order: 'asc' }
  const wide = await walkPages(target, { path: '/explore/pools', limit: 50, query, rowsMax: ROWS_MAX })
  const narrow = await walkPages(target, {
    path: '/explore/pools',
    limit: 7,
    query,
    rowsMax: wide.rows.length,
  })
  const [wideKeys, keys] = [keysOf(wide), keysOf(narrow)]
  const repeated = keys.filter((key, index) => keys.indexOf(key) !== index)
  const known = wideKeys.filter((key) => listed?.includes(key) ?? true)
  const lost = known.filter((key) => !keys.includes(key))
  const { disorder, differing } = compareRows(narrow.rows, { sort, order: 'asc' })
  const [least, most] = [wide.leastTotal ?? 0, narrow.mostTotal ?? Number.POSITIVE_INFINITY]
  const problems = [
    ...(keys.length > most ? [`${keys.length} rows, and the total is ${most}`] : []),
    ...(wide.ended && wideKeys.length < least ? [`${wideKeys.length} rows, and the total is ${least}`] : []),
    ...(repeated.length > 0 ? [`${repeated.length} rows repeated, the first ${repeated[0]}`] : []),
    ...(lost.length > 0 ? [`${lost.length} rows lost, the first ${lost[0]}`] : []),
    ...(disorder === undefined ? [] : [`out of order: ${disorder}`]),
  ]
  return { keys, allKeys: [...wideKeys, ...keys], listed: known, narrow, differing, problems }
}

function keysOf(walk: Walk): string[] {
  return walk.rows.map((row) => pickText(row, 'key') ?? '')
}

async function judgeOrder(target: Target, judge: Judge): Promise<void> {
  const rule = 'paging.explore.order'
  const stable = Object.entries(target.profile.choices.explorePools.sort).filter(([, sort]) => sort.stable)
  let looked = 0
  for (const [name, sort] of stable) {
    for (const order of ['asc', 'desc'] as const) {
      const query = { sort: name, order, limit: '50' }
      const reply = await requestParsed(target, { path: '/explore/pools', query })
      const { disorder, differing } = compareRows(pickRows(reply.json, 'data') ?? [], { sort, order })
      if (disorder !== undefined) judge.fail(rule, `sort ${name}, ${order}: ${disorder}`, [reply.evidence()])
      if (differing > 0) looked++
    }
  }
  if (stable.length === 0) judge.skip(rule, 'the profile marks no sort as stable', 'choice')
  else if (looked < 2) judge.inconclusive(rule, 'no two rows that differ, to tell the order by')
  else judge.pass(rule, `${looked} pages in order`)
}

const HALF = 10
/** A list to which swaps are added while it is read. */
const MOVED_MAX = 12

/** Pages of /swaps, at its beginning and at its end. Their order is not stated. */
export const swapsWalk: Probe = {
  rules: ['paging.swaps.complete'],
  world: 'main',
  async run(target, judge) {
    const rule = 'paging.swaps.complete'
    const credential = await readCredential(target)
    let evidence: string[] = []
    const look = async () => {
      const compared = await compareSwapPages(target, credential)
      evidence = compared.evidence
      return compared.problem
    }
    const { outcome, last, told } = await confirm({
      first: await look(),
      errorOf: (problem) => (problem === undefined ? undefined : 'pages that do not fit'),
      again: look,
      witness: async () => ({ served: true, told: '/swaps' }),
    })
    if (last === undefined) judge.pass(rule, `two pages of ${HALF}, one of ${2 * HALF}, and the last`)
    else if (outcome === 'persistent') judge.fail(rule, `${last}: ${told}`, evidence)
    else judge.inconclusive(rule, `${last}: ${told}`, evidence)
  },
}

/** Reads until the list has not changed meanwhile, then says what is wrong with its pages. */
async function compareSwapPages(
  target: Target,
  credential: Credential,
): Promise<{ problem: string | undefined; evidence: string[] }> {
  const read = async (offset: number, limit: number) => {
    const query = { limit: String(limit), offset: String(offset) }
    const reply = await requestParsed(target, { path: '/swaps', query, credential })
    const [rows, total] = [pickRows(reply.json, 'data'), readTotal(reply.json)]
    if (reply.status !== 200 || rows === undefined || total === undefined)
      throw new CannotJudge(`no page of swaps: ${reply.evidence()}`)
    return { ids: rows.map((row) => pickText(row, 'id') ?? ''), total, evidence: reply.evidence() }
  }
  for (let moved = 0; moved < MOVED_MAX; moved++) {
    const whole = await read(0, 2 * HALF)
    if (whole.ids.length <= HALF) throw new CannotJudge(`too few swaps to page: ${whole.ids.length}`)
    // At once: the less time it takes, the fewer swaps are added.
    const [first, second, last] = await Promise.all([
      read(0, HALF),
      read(HALF, HALF),
      read(whole.total - 1, HALF),
    ])
    const again = await read(0, 2 * HALF)
    if (again.total !== whole.total || again.ids.join() !== whole.ids.join()) continue
    const evidence = [whole, first, second, last].map((page) => page.evidence)
    return { problem: problemOfPages({ whole, first, second, last }), evidence }
  }
  throw new CannotJudge('swaps are added faster than their pages can be read')
}

type SwapPage = { ids: readonly string[]; total: number }

function problemOfPages(pages: Record<'whole' | 'first' | 'second' | 'last', SwapPage>): string | undefined {
  const { whole, first, second, last } = pages
  const halves = [...first.ids, ...second.ids]
  const repeated = halves.filter((id, index) => halves.indexOf(id) !== index)
  const lost = whole.ids.filter((id) => !halves.includes(id))
  const totals = [whole, first, second].map(({ total }) => total)
  if (new Set(totals).size > 1) return `totals of ${totals.join(', ')}`
  if (repeated.length > 0) return `${repeated.length} swaps are on two pages, the first ${repeated[0]}`
  if (lost.length > 0 && halves.length >= whole.ids.length)
    return `${lost.length} swaps are on no page, the first ${lost[0]}`
  if (last.ids.length !== 1) return `${last.ids.length} swaps from the last of ${whole.total} on`
  return undefined
}
