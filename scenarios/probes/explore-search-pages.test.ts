import { expect, test, vi } from 'vitest'
import { profileSchema } from '../../contract/profile.ts'
import type { Target } from '../../contract/scenario-config.ts'
import type { Probe } from '../lib/probe/probe.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { searchByKey, searchByText } from './explore-search.ts'

const exchange = vi.hoisted(() => ({
  isCutFirst: false,
  isLost: false,
  total: (matching: number) => matching,
}))

/** Twelve pools; the token t1 is in the last two only. */
const POOLS = Array.from({ length: 12 }, (_, index) => {
  const [key, token1] = [`pool${String.fromCharCode(97 + index)}`, index >= 10 ? 't1' : 't2']
  const symbols = { token0Symbol: 'SAME', token1Symbol: token1 === 't1' ? 'RARE' : 'MANY' }
  return { key, token0: 't0', token1, ...symbols }
})

vi.mock('../lib/requests/request.ts', () => ({ isError: () => false, isSuccess: () => true }))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../lib/market/judge-errors.ts', () => ({ judgeErrors: async () => undefined }))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  requestParsed: async (_: Target, { query }: { query?: Record<string, string> }) => {
    const { limit = '50', offset = '0', search: wanted = '' } = query ?? {}
    const search = exchange.isLost && offset !== '0' ? '' : wanted
    const isFound = (row: object) => JSON.stringify(row).includes(search)
    const page = (rows: readonly object[]) => rows.slice(Number(offset), Number(offset) + Number(limit))
    const found = POOLS.filter(isFound)
    const data = exchange.isCutFirst ? page(POOLS).filter(isFound) : page(found)
    const total = search === '' ? found.length : exchange.total(found.length)
    return { status: 200, json: { data, pagination: { total } }, evidence: () => '' }
  },
}))

const profile = profileSchema.parse({
  name: 'test',
  baseUrl: 'http://127.0.0.1:1',
  wsUrl: 'ws://127.0.0.1:1',
})

async function judge(probe: Probe, rule: string): Promise<string | undefined> {
  const found: string[] = []
  await judgeProbe({
    rules: [rule],
    getExpected: () => '',
    run: (judge) => probe.run({ profile } as Target, judge), // as: only its profile is read
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => found.push(`${verdict}: ${observed}`),
  })
  return found[0]
}

test.each([
  { why: 'all pools', isCutFirst: false, seen: /^pass: found by their keys, among 12 pools$/ },
  { why: 'each page', isCutFirst: true, seen: /^fail: not found by its key with limit=1: missing in each/ },
])('a search of $why', async ({ isCutFirst, seen }) => {
  Object.assign(exchange, { isCutFirst, total: (matching: number) => matching })
  expect(await judge(searchByKey, 'paging.explore.search')).toMatch(seen)
})

test.each([
  { why: 'all matches', total: (matching: number) => matching, seen: /^pass: found by "SAME", "RARE"$/ },
  {
    why: 'too few',
    total: (matching: number) => matching - 1,
    seen: /^fail: a search for "SAME": 12 different rows, and then a total of 11: more/,
  },
])('the total of a search counts $why', async ({ total, seen }) => {
  Object.assign(exchange, { isCutFirst: false, total })
  expect(await judge(searchByText, 'paging.explore.search-symbol')).toMatch(seen)
})

test('a search that is lost on later pages fails', async () => {
  Object.assign(exchange, { isCutFirst: false, isLost: true, total: (matching: number) => matching })
  const seen = /^fail: a search for "RARE" at offset 1: all pools in each/
  expect(await judge(searchByText, 'paging.explore.search-symbol')).toMatch(seen)
  exchange.isLost = false
})
