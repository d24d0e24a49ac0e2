import type { Target } from '../../contract/scenario-config.ts'
import { compareRows } from '../lib/market/compare-rows.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { type Walk, walkPages } from '../lib/requests/walk.ts'
import { pause } from '../lib/time/pause.ts'
import type { Judge } from '../lib/verdict/judge.ts'

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
  const problems = [
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
