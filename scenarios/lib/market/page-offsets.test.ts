import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { findLargePage, findRoundedOffset, isRounded } from './page-offsets.ts'

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

const list = vi.hoisted(() => ({
  mapOffset: (offset: number) => offset,
  mapLimit: (limit: number) => limit,
}))

vi.mock('../requests/request.ts', () => ({
  request: async (_: Target, { query }: { query: { offset?: string; limit: string } }) => {
    const from = list.mapOffset(Number(query.offset ?? 0))
    const limit = list.mapLimit(Number(query.limit))
    const data = KEYS.slice(from, from + limit).map((key) => ({ key }))
    return { status: 200, json: { data, pagination: { limit } }, evidence: () => 'shown' }
  },
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

beforeEach(() => {
  list.mapOffset = (offset) => offset
  list.mapLimit = (limit) => limit
})

const TARGET = {} as Target // as: unused
const POOLS = { path: '/pools' }

test('a list that keeps limit and offset', async () => {
  expect(await findLargePage(TARGET, POOLS)).toBeUndefined()
  expect(await findRoundedOffset(TARGET, POOLS)).toBeUndefined()
})

test('an offset that is rounded to a page', async () => {
  list.mapOffset = (offset) => offset - (offset % 2)
  expect(await findRoundedOffset(TARGET, POOLS)).toMatchObject({
    problem: expect.stringMatching(/^offset 1 has the rows of offset 0 in each of 4 attempts/),
  })
})

test.each([
  { why: 'one row more', mapLimit: (limit: number) => limit + 1, problem: '2 rows with limit=1' },
  { why: 'a fixed page', mapLimit: () => 3, problem: '3 rows with limit=1' },
])('a limit with $why', async ({ mapLimit, problem }) => {
  list.mapLimit = mapLimit
  expect(await findLargePage(TARGET, POOLS)).toEqual({ problem, evidence: ['shown'] })
})

test('a limit that is raised to the least size, as the page states', async () => {
  list.mapLimit = (limit) => Math.max(limit, 3)
  expect(await findLargePage(TARGET, POOLS)).toBeUndefined()
})

test.each([
  { why: 'rounded', pages: ['ab', 'ab', 'cd'], rounded: true },
  { why: 'right', pages: ['ab', 'bc', 'cd'], rounded: false },
  { why: 'of a list in another order each time', pages: ['ab', 'ba', 'cd'], rounded: false },
  { why: 'of a list that ignores the offset', pages: ['ab', 'ab', 'ab'], rounded: false },
  { why: 'with a larger limit', pages: ['abc', 'abc', 'def'], rounded: false },
  { why: 'of two rows', pages: ['ab', 'ab', ''], rounded: false },
])('pages $why', ({ pages, rounded }) => {
  expect(isRounded(pages.map((keys) => [...keys]))).toBe(rounded)
})
