import { describe, expect, test } from 'vitest'
import type { Reply } from '../requests/request.ts'
import type { Walk } from '../requests/walk.ts'
import {
  chooseSubjects,
  judgeWholeWalks,
  listSwapPools,
  searchSubjects,
  tradesToken,
  uniqueKeys,
  type WholeWalk,
} from './rows.ts'

const row = (token0: string, fee: string, key: string) => ({ token0, token1: 'b', fee, key })

test('identifies pools by tokens and fee, and omits those that share them', () => {
  const rows = [row('a', '1', 'k1'), row('a', '2', 'k2'), row('c', '1', 'k3'), row('c', '1', 'k4')]
  expect([...uniqueKeys(rows).values()]).toEqual(['k1', 'k2'])
})

const LAST = {} as Reply // as: unused

function walk(keys: readonly number[], options: Partial<Walk> = {}): Walk {
  const rows = keys.map((key) => ({ key: String(key) }))
  return { rows, total: 20, leastTotal: 20, mostTotal: 20, pages: 4, ended: true, last: LAST, ...options }
}

function whole(keys: readonly number[], options: Partial<Walk> = {}): WholeWalk {
  const start = walk(keys, options)
  return { start, end: start, from: 0 }
}

/** Longer than the walk's bound: the first ten rows, and those from 15 on. */
function bounded(tail: readonly number[]): WholeWalk {
  return { start: walk(upTo(10), { ended: false }), end: walk(tail), from: 15 }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

const ALL = whole(upTo(20))

test.each([
  { why: 'all rows arrived', walks: [ALL, ALL], verdict: 'pass' },
  { why: 'rows were added during the walk', walks: [whole(upTo(22)), ALL], verdict: 'pass' },
  { why: 'new rows push old ones on', walks: [whole([0, ...upTo(20)]), ALL], verdict: 'pass' },
  { why: 'each walk is a row short', walks: [whole(upTo(19)), whole(upTo(19))], verdict: 'fail' },
  {
    why: 'the first page of each walk counted a row that a replica behind it did not have yet',
    walks: [whole(upTo(20), { total: 21 }), whole(upTo(20), { total: 21 })],
    verdict: 'pass',
  },
  { why: 'each walk gets more than total', walks: [whole(upTo(22)), whole(upTo(21))], verdict: 'long' },
  {
    why: 'each walk gets rows that later pages count',
    walks: [whole(upTo(22), { mostTotal: 22 }), whole(upTo(22), { mostTotal: 22 })],
    verdict: 'pass',
  },
  {
    why: 'each walk has rows after it had as many as total',
    walks: [whole(upTo(20), { reached: 7 }), whole(upTo(20), { reached: 11 })],
    verdict: 'long',
  },
  {
    why: 'one walk got a row that was added to the end of the list',
    walks: [whole(upTo(21), { mostTotal: 21, reached: 20 }), ALL],
    verdict: 'pass',
  },
  { why: 'one walk is short', walks: [ALL, whole(upTo(19))], verdict: 'inconclusive' },
  { why: 'rows repeat', walks: [whole([...upTo(19), 0]), whole([...upTo(19), 0])], verdict: 'inconclusive' },
  { why: 'one walk misses a row', walks: [whole([...upTo(19), 0]), ALL], verdict: 'pass' },
  {
    why: 'each walk misses another row',
    walks: [whole([...upTo(19), 0]), whole([19, ...upTo(18), 0])],
    verdict: 'inconclusive',
  },
  {
    why: 'a row has no key',
    walks: [whole(upTo(20), { rows: Array(20).fill({}) }), ALL],
    verdict: 'inconclusive',
  },
  { why: 'there are two pages', walks: [whole(upTo(20), { pages: 2 }), ALL], verdict: 'inconclusive' },
  {
    why: 'no walk reaches the end',
    walks: [whole(upTo(15), { ended: false }), whole(upTo(15), { ended: false })],
    verdict: 'inconclusive',
  },
  {
    why: 'each walk continues beyond total',
    walks: [whole(upTo(30), { ended: false }), whole(upTo(30), { ended: false })],
    verdict: 'long',
  },
  {
    why: 'each walk gets the first page forever',
    walks: [
      whole(upTo(7), { ended: false, stuck: 'same' }),
      whole(upTo(11), { ended: false, stuck: 'same' }),
    ],
    verdict: 'fail',
  },
  {
    why: 'each walk gets the last page forever, after all rows',
    walks: [
      whole(upTo(20), { ended: false, stuck: 'same' }),
      whole(upTo(20), { ended: false, stuck: 'same' }),
    ],
    verdict: 'inconclusive',
  },
  {
    why: 'a long list has its last rows',
    walks: [bounded([15, 16, 17, 18, 19]), bounded([15, 16, 17, 18, 19])],
    verdict: 'pass',
  },
  {
    why: 'a long list has too few of its last rows',
    walks: [bounded([15, 16, 17, 18]), bounded([15, 16, 17, 18])],
    verdict: 'fail',
  },
] as const)('$verdict where $why', ({ walks, verdict }) => {
  const [first, second] = walks
  expect(judgeWholeWalks(first, second)).toMatchObject({ verdict })
})

test('describes the walks', () => {
  expect(judgeWholeWalks(ALL, bounded([15, 16, 17, 18, 19])).summary).toBe(
    '20 rows in 4 pages, total 20; 10 rows in 4 pages, total 20, and 5 rows from 15 on',
  )
})

test.each([
  { swap: { pool: 'a', hops: [{ pool: 'a' }, { pool: 'b' }] }, pools: ['a', 'b'], why: 'in order' },
  { swap: { pool: 'a', hops: [] }, pools: ['a'], why: 'without hops' },
  { swap: { pool: 'a' }, pools: ['a'], why: 'without a list of them' },
  { swap: { hops: [{ pool: null }, 'b', { pool: 'c' }] }, pools: ['c'], why: 'as far as they can be read' },
  { swap: null, pools: [], why: 'of nothing' },
])('the pools of a route: $why', ({ swap, pools }) => {
  expect(listSwapPools(swap)).toEqual(pools)
})

describe('search subjects', () => {
  const row = (symbol0: string, symbol1: string) => ({
    token0: `id of ${symbol0}`,
    token0Symbol: symbol0,
    token1: `id of ${symbol1}`,
    token1Symbol: symbol1,
  })

  test('single words first, then those of few pools; each once', () => {
    const rows = [row('USDC', 'ETH'), row('USDC', 'Two words'), row('USDC', 'BTC'), row('ETH', 'BTC')]
    expect(searchSubjects(rows, 'Symbol').map(({ text }) => text)).toEqual([
      'ETH',
      'BTC',
      'USDC',
      'Two words',
    ])
    expect(searchSubjects(rows, 'Symbol')[0]).toEqual({ text: 'ETH', token: 'id of ETH' })
  })

  test.each(['<b>', 'naïve', '', ' padded', 'a%b', 'X', 'T1'])('leaves %j alone', (symbol) => {
    expect(searchSubjects([row(symbol, 'USDC')], 'Symbol').map(({ text }) => text)).toEqual(['USDC'])
  })

  test('chooses one of each side', () => {
    const rows = [row('AAA', 'BBB'), row('BBB', 'CCC'), row('AAA', 'CCC'), row('DDD', 'AAA')]
    const choose = (count: number) =>
      chooseSubjects(rows, searchSubjects(rows, 'Symbol'), count).map(({ text }) => text)
    expect(searchSubjects(rows, 'Symbol').map(({ text }) => text)).toEqual(['DDD', 'BBB', 'CCC', 'AAA'])
    expect(choose(2)).toEqual(['DDD', 'CCC'])
    expect(choose(3)).toEqual(['DDD', 'CCC', 'BBB'])
  })

  test('takes the first if every token is on both sides', () => {
    const rows = [row('AAA', 'BBB'), row('BBB', 'AAA')]
    expect(chooseSubjects(rows, searchSubjects(rows, 'Symbol'), 1).map(({ text }) => text)).toEqual(['AAA'])
  })

  test('knows the pools of a token', () => {
    expect(tradesToken(row('USDC', 'ETH'), 'id of ETH')).toBe(true)
    expect(tradesToken(row('USDC', 'ETH'), 'ETH')).toBe(false)
  })
})
