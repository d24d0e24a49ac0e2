import { expect, test } from 'vitest'
import type { Reply } from './request.ts'
import type { Walk } from './walk.ts'
import { judgeWholeWalks, type WholeWalk } from './whole-walks.ts'

const LAST = {} as Reply // as: nothing of it is read

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
  { why: 'all rows came', walks: [ALL, ALL], verdict: 'pass' },
  { why: 'rows were added meanwhile', walks: [whole(upTo(22)), ALL], verdict: 'pass' },
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
  { why: 'one walk is short', walks: [ALL, whole(upTo(19))], verdict: 'inconclusive' },
  { why: 'rows repeat', walks: [whole([...upTo(19), 0]), whole([...upTo(19), 0])], verdict: 'inconclusive' },
  { why: 'each walk misses others', walks: [whole([...upTo(19), 0]), ALL], verdict: 'pass' },
  {
    why: 'a row has no key',
    walks: [whole(upTo(20), { rows: Array(20).fill({}) }), ALL],
    verdict: 'inconclusive',
  },
  { why: 'there are two pages', walks: [whole(upTo(20), { pages: 2 }), ALL], verdict: 'inconclusive' },
  {
    why: 'no walk comes to an end',
    walks: [whole(upTo(15), { ended: false }), whole(upTo(15), { ended: false })],
    verdict: 'inconclusive',
  },
  {
    why: 'each walk goes on beyond total',
    walks: [whole(upTo(30), { ended: false }), whole(upTo(30), { ended: false })],
    verdict: 'long',
  },
  {
    why: 'each walk gets the first page for ever',
    walks: [
      whole(upTo(7), { ended: false, stuck: 'same' }),
      whole(upTo(11), { ended: false, stuck: 'same' }),
    ],
    verdict: 'fail',
  },
  {
    why: 'each walk gets the last page for ever, after all rows',
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

test('tells what it saw', () => {
  expect(judgeWholeWalks(ALL, bounded([15, 16, 17, 18, 19])).told).toBe(
    '20 rows in 4 pages, total 20; 10 rows in 4 pages, total 20, and 5 rows from 15 on',
  )
})
