import { compareRows } from '../../contract/compare-rows.ts'
import type { Target } from '../../contract/scenario-config.ts'
import { readCredential } from '../lib/identity/credential.ts'
import { judgeErrors } from '../lib/market/judge-errors.ts'
import { judgeOrder } from '../lib/market/judge-order.ts'
import {
  findLargePage,
  findRepeatedPage,
  findRoundedOffset,
  judgeFarOffset,
  LARGE_OFFSETS,
} from '../lib/market/page-offsets.ts'
import { judgeWholeWalks, type WalksVerdict, type WholeWalk } from '../lib/market/rows.ts'
import { compareSwapPages, HALF } from '../lib/market/swap-pages.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { confirm } from '../lib/requests/confirm.ts'
import { type Credential, isError } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { type Walk, walkPages } from '../lib/requests/walk.ts'
import { pause } from '../lib/time/pause.ts'
import { byItself, CannotJudge, holdPasses, type Judge, unlessCannot } from '../lib/verdict/judge.ts'

const COMPLETE = 'paging.pools.complete'
const ENDS = 'paging.pools.ends'

const PAGES_MAX = 120
/** Small pages give a short list several; they never exceed a size that the target may reject. */
const PAGES_AIM = 60
const PAGE_SIZES = [7, 11]
const LIMIT_MAX = 100
const TRIES_MAX = 3
/** Allowed rows beyond twice the total: a list that goes on longer is not walked to an end. */
const ROWS_MORE = 50
const FAR_BEYOND = 1000
/** /swaps and /pools may reject these or serve a page. */
const INVALID = [{ limit: 'many' }, { offset: 'start' }]

export const poolsWalk: Probe = {
  rules: [COMPLETE, ENDS],
  world: 'main',
  async run(target, judge) {
    const total = await readPoolsTotal(target)
    await byItself(judge, COMPLETE, async () => {
      await judgeSmallPages(target, judge)
      await judgeComplete(target, judge, total)
    })
    await judgeEnd(target, judge, total)
  },
}

async function readPoolsTotal(target: Target): Promise<number> {
  const { total, last } = await walkPages(target, { path: '/pools', limit: 7, rowsMax: 1 })
  if (total === undefined) throw new CannotJudge(`the list has no total: ${last.evidence()}`)
  return total
}

/** A rejected limit is not judged: the API states none for this list. */
async function judgeSmallPages(target: Target, judge: Judge): Promise<void> {
  const list = { path: '/pools' }
  const found = (await findLargePage(target, list)) ?? (await findRoundedOffset(target, list))
  if (found !== undefined) judge.fail(COMPLETE, found.problem, found.evidence)
}

/** Walks with two page sizes. A mismatch may come from a changing list or a lagging replica. */
async function judgeComplete(target: Target, judge: Judge, total: number): Promise<void> {
  const [small, large] = PAGE_SIZES.map((size) => Math.max(size, Math.ceil(total / PAGES_AIM)))
  const walkTwice = async () => {
    const first = await walkPools(target, total, Math.min(LIMIT_MAX, small ?? 0))
    const second = await walkPools(target, total, Math.min(LIMIT_MAX - 3, large ?? 0))
    const evidence = [first.end.last.evidence(), second.end.last.evidence()]
    return { ...judgeWholeWalks(first, second), evidence }
  }
  for (let tries = 1; ; tries++) {
    const { verdict, summary: explanation, evidence } = await settle(walkTwice)
    if (verdict === 'inconclusive' && tries < TRIES_MAX) continue
    return judge[verdict](COMPLETE, explanation, verdict === 'fail' ? evidence : [])
  }
}

type Walked = WalksVerdict & { evidence: readonly string[] }

/** A walk longer than the total means that the list grew and its count lags, unless it persists. */
async function settle(walkTwice: () => Promise<Walked>): Promise<Walked & { verdict: Settled }> {
  const { outcome, last } = await confirm({
    first: await walkTwice(),
    describeError: ({ verdict }) => (verdict === 'long' ? 'long' : undefined),
    again: walkTwice,
    witness: async () => ({ served: true, explanation: 'walked' }),
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

/** Clients page until `data` is empty, so there must be such a page. The API does not say whether a far offset is rejected. */
async function judgeEnd(target: Target, judge: Judge, total: number): Promise<void> {
  const { held, release } = holdPasses(judge)
  for (const offset of [String(total + FAR_BEYOND), ...LARGE_OFFSETS]) {
    const query = { limit: '10', offset }
    const reply = await requestParsed(target, { path: '/pools', query })
    const rows = pickRows(reply.json, 'data')?.length
    const seen = `at offset ${offset}, with a total of ${total}`
    if (isError(reply)) held.fail(ENDS, `an error ${seen}`, [reply.evidence()])
    else if (reply.status === 200 && rows !== undefined)
      held.that(ENDS, rows === 0, `${rows} rows ${seen}`, [reply.evidence()])
    // Such a large offset may be rejected for its size.
    else if (!LARGE_OFFSETS.includes(offset)) held.inconclusive(ENDS, `no page: ${reply.evidence()}`)
  }
  await judgeErrors(target, held, { rule: ENDS, path: '/pools', queries: INVALID })
  release()
}

const EXPLORE = 'paging.explore.complete'
const ORDER = 'paging.explore.order'
const ROWS_MAX = 300
/** Rows that may be added while a list is walked in the other order. */
const ADDED_MAX = 20
/** Enough tries, over enough time, to show that a problem persists. */
const TRIES = 4
/** Tries while the list changes during the walks. */
const TRIES_MOVED = 8
const PAUSE_MS = 1700

type Sort = Target['profile']['choices']['explorePools']['sort'][string]

/** Walks /explore/pools: no row lost, repeated, or out of order. */
export const exploreWalk: Probe = {
  rules: [EXPLORE, ORDER],
  world: 'main',
  async run(target, judge) {
    await byItself(judge, EXPLORE, async () => {
      await unlessCannot(() => judgeFarOffset(target, judge, { rule: EXPLORE, path: '/explore/pools' }))
      await judgeStableSort(target, judge)
    })
    await byItself(judge, ORDER, () => judgeOrder(target, judge))
  },
}

/** With a stable sort, two walks with different page sizes must match. */
async function judgeStableSort(target: Target, judge: Judge): Promise<void> {
  const rule = EXPLORE
  const stable = Object.entries(target.profile.choices.explorePools.sort).find(([, sort]) => sort.stable)
  if (!stable) {
    judge.skip(rule, 'the profile marks no sort as stable', 'choice')
    return
  }
  const [name, sort] = stable
  const rounded = await findRoundedOffset(target, {
    path: '/explore/pools',
    query: { sort: name, order: 'asc' },
  })
  if (rounded !== undefined) judge.fail(rule, rounded.problem, rounded.evidence)
  await unlessCannot(async () => {
    const repeated = await findRepeatedPage(target, { sort: name, order: 'asc' })
    if (repeated !== undefined) judge.fail(rule, repeated.problem, repeated.evidence)
  })
  const walked = await walkTwiceUntilSettled(target, name, sort)
  const { keys, narrow, differing, problems } = walked
  const seen = `${keys.length} rows in ${narrow.pages} pages, sort ${name}`
  // Another rule covers rows without a key.
  if (walked.allKeys.includes('')) judge.inconclusive(rule, `not all rows have a key: ${seen}`)
  const found = `${seen}: ${problems.join('; ')}`
  if (problems.length > 0 && walked.moved)
    judge.inconclusive(rule, `the list changed during the walks: ${found}`)
  if (problems.length > 0) judge.fail(rule, found, [narrow.last.evidence()])
  else if (narrow.pages < 3) judge.inconclusive(rule, `too few rows to page: ${seen}`)
  else if (differing === 0) judge.inconclusive(rule, `no two rows differ in ${sort.field}: ${seen}`)
  else judge.pass(rule, seen)
}

/** A faulty list loses a row every time, a replica once. Only counts rows of every earlier walk: a lagging replica omits new ones. */
async function walkTwiceUntilSettled(target: Target, name: string, sort: Sort) {
  let listed: string[] | undefined
  for (let tries = 1; ; tries++) {
    const walked = await walkTwice(target, { name, sort, listed })
    if (walked.problems.length === 0 || tries >= (walked.moved ? TRIES_MOVED : TRIES)) return walked
    listed = walked.listed
    await pause(PAUSE_MS)
  }
}

/** `listed`: keys of rows in earlier walks, if any. */
async function walkTwice(
  target: Target,
  { name, sort, listed }: { name: string; sort: Sort; listed: readonly string[] | undefined },
) {
  // The target may not have this sort.
  const list = { path: '/explore/pools', limit: 7, open: { sort: name } }
  const query = { sort: name, order: 'asc' }
  const wide = await walkPages(target, { ...list, limit: 50, query, rowsMax: ROWS_MAX })
  const narrow = await walkPages(target, { ...list, query, rowsMax: wide.rows.length })
  const back = await walkPages(target, {
    ...list,
    query: { ...query, order: 'desc' },
    rowsMax: wide.rows.length + ADDED_MAX,
  })
  const [wideKeys, keys, backKeys] = [listKeys(wide), listKeys(narrow), listKeys(back)]
  const repeated = keys.filter((key, index) => keys.indexOf(key) !== index)
  const known = wideKeys.filter((key) => listed?.includes(key) ?? true)
  const lost = known.filter((key) => !keys.includes(key))
  // If the list is longer, its other end was read.
  const lostBack = known.filter((key) => wide.ended && !backKeys.includes(key))
  const { disorder, differing } = compareRows(narrow.rows, { sort, order: 'asc' })
  const { disorder: disorderBack } = compareRows(back.rows, { sort, order: 'desc' })
  const [least, most] = [wide.leastTotal ?? 0, narrow.mostTotal ?? Number.POSITIVE_INFINITY]
  const counts = [
    ...(keys.length > most ? [`${keys.length} rows, and the total is ${most}`] : []),
    ...(wide.ended && wideKeys.length < least ? [`${wideKeys.length} rows, and the total is ${least}`] : []),
  ]
  const problems = [
    ...counts,
    ...(repeated.length > 0 ? [`${repeated.length} rows repeated, the first ${repeated[0]}`] : []),
    ...(lost.length > 0 ? [`${lost.length} rows lost, the first ${lost[0]}`] : []),
    ...(lostBack.length > 0 ? [`${lostBack.length} rows lost under desc, the first ${lostBack[0]}`] : []),
    ...(disorder === undefined ? [] : [`out of order: ${disorder}`]),
    ...(disorderBack === undefined ? [] : [`out of order under desc: ${disorderBack}`]),
  ]
  // Pages of different states may repeat or omit rows, but a walk never has more than the largest total.
  const moved = counts.length === 0 && [narrow, back].some((walk) => walk.leastTotal !== walk.mostTotal)
  return { keys, allKeys: [...wideKeys, ...keys], listed: known, narrow, differing, problems, moved }
}

function listKeys(walk: Walk): string[] {
  return walk.rows.map((row) => pickText(row, 'key') ?? '')
}

/** Pages of /swaps, at its beginning and its end. The API does not state their order. */
export const swapsWalk: Probe = {
  rules: ['paging.swaps.complete'],
  world: 'main',
  async run(target, judge) {
    const rule = 'paging.swaps.complete'
    const credential = await readCredential(target)
    const { held, release } = holdPasses(judge)
    await byItself(judge, rule, async () => {
      await unlessCannot(() => judgeFarOffset(target, judge, { rule, path: '/swaps', credential }))
      await judgeSwapPages(target, held, { rule, credential })
      await judgeErrors(target, held, { rule, path: '/swaps', credential, queries: INVALID })
      release()
    })
  },
}

async function judgeSwapPages(
  target: Target,
  judge: Judge,
  { rule, credential }: { rule: string; credential: Credential },
): Promise<void> {
  let evidence: string[] = []
  const check = async () => {
    const compared = await compareSwapPages(target, credential)
    evidence = compared.evidence
    return compared.problem
  }
  const { outcome, last, explanation } = await confirm({
    first: await check(),
    describeError: (problem) => (problem === undefined ? undefined : 'inconsistent pages'),
    again: check,
    witness: async () => ({ served: true, explanation: '/swaps' }),
  })
  if (last === undefined) judge.pass(rule, `two pages of ${HALF}, one of ${2 * HALF}, and the last`)
  else if (outcome === 'persistent') judge.fail(rule, `${last}: ${explanation}`, evidence)
  else judge.inconclusive(rule, `${last}: ${explanation}`, evidence)
}
