// Pools are launched while two clients page through the list.
import type { Target } from '../../contract/scenario-config.ts'
import { actor, outcome, readNumber, runCase, step } from '../lib/case/run-case.ts'
import { COMMON_OPTIONS, lane } from '../lib/lane.ts'
import { pickRows, pickText } from '../lib/pick.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import { readTotal, walkPages } from '../lib/requests/walk.ts'
import { CannotJudge } from '../lib/verdict/judge.ts'
import { elapse } from '../lib/world/control.ts'
import { poolsWalk } from '../probes/walks.ts'

export const options = { ...COMMON_OPTIONS, scenarios: lane('paging') }

/** A list may grow faster than the client pages. */
const PAGES_MAX = 40
const EMPTY_PAGES = 3
/** Beyond the end of any list in a case. */
const FAR_BEYOND = 10_000

export function paging(): Promise<void> {
  return runCase(['paging.pools.complete', 'paging.pools.ends'], async (judge) => {
    const careless = actor('careless-client')
    const right = actor('right-client')
    await step('the careless client trusts the total of the first page, and advances by the requested limit')
    await reportKeys(careless, await pageByLimit(careless))
    await step('it requests pages beyond the end of the list')
    for (let page = 0; page < EMPTY_PAGES; page++) {
      await readPage(careless, {
        limit: readNumber('limit'),
        offset: FAR_BEYOND + page * readNumber('limit'),
      })
      await elapse(careless, readNumber('secondsBetween') * 1000)
    }

    await step(
      'the right client advances by the rows received until it has the last total, and stores each key once',
    )
    await reportKeys(right, await pageByRows(right))

    await step('launches stop: the list itself is checked')
    await poolsWalk.run(right, judge)
  })
}

async function pageByLimit(target: Target): Promise<string[]> {
  const limit = readNumber('limit')
  const keys: string[] = []
  let total = limit
  for (let offset = 0; offset < total && offset < PAGES_MAX * limit; offset += limit) {
    const page = await readPage(target, { limit, offset })
    if (offset === 0) total = page.total
    keys.push(...page.keys)
    await elapse(target, readNumber('secondsBetween') * 1000)
  }
  return keys
}

async function pageByRows(target: Target): Promise<string[]> {
  const keys: string[] = []
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await readPage(target, { limit: readNumber('limit'), offset: keys.length })
    keys.push(...page.keys)
    if (page.keys.length === 0 || keys.length >= page.total) break
    await elapse(target, readNumber('secondsBetween') * 1000)
  }
  return [...new Set(keys)]
}

async function readPage(
  target: Target,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ keys: string[]; total: number }> {
  const query = { limit: String(limit), offset: String(offset) }
  const reply = await requestParsed(target, { path: '/pools', query })
  const rows = pickRows(reply.json, 'data')
  const total = readTotal(reply.json)
  if (!rows || total === undefined) throw new CannotJudge(`not a page: ${reply.evidence()}`)
  return { keys: rows.map((row) => pickText(row, 'key') ?? ''), total }
}

async function reportKeys(target: Target, keys: readonly string[]): Promise<void> {
  const { rows } = await walkPages(target, { path: '/pools', limit: 100, rowsMax: 1000 })
  const distinct = new Set(keys)
  const missing = rows.filter((row) => !distinct.has(pickText(row, 'key') ?? '')).length
  outcome(target, `${keys.length - distinct.size} pools twice, ${missing} of ${rows.length} missing`)
}
