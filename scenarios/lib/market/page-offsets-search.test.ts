import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { findRepeatedPage, isRepeated } from './page-offsets.ts'

const list = vi.hoisted(() => ({ mapOffset: (offset: number, _text: string) => offset }))

const ROWS = ['AAA', 'AAA', 'AAA', 'AAA', 'BBB'].map((token0Symbol, index) => ({
  key: `k${index}`,
  token0: token0Symbol,
  token0Symbol,
}))

vi.mock('../requests/request.ts', () => ({}))
vi.mock('../requests/request-parsed.ts', () => ({
  requestParsed: async (
    _: Target,
    { query }: { query: { search?: string; offset?: string; limit: string } },
  ) => {
    const { search = '' } = query
    const found = ROWS.filter(({ token0Symbol }) => token0Symbol.includes(search))
    const offset = list.mapOffset(Number(query.offset ?? 0), search)
    const data = found.slice(offset, offset + Number(query.limit))
    return { status: 200, json: { data, pagination: { total: found.length } }, evidence: () => 'shown' }
  },
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

beforeEach(() => {
  list.mapOffset = (offset) => offset
})

const find = () => findRepeatedPage({} as Target, { sort: 'created', order: 'asc' }) // as: unused

test('a search that pages', async () => {
  expect(await find()).toBeUndefined()
})

test('a search that ignores the offset', async () => {
  list.mapOffset = (offset, text) => (text === '' ? offset : 0)
  expect(await find()).toEqual({
    problem: expect.stringMatching(
      /^a search for "AAA": four offsets have the same row in each of 4 attempts/,
    ),
    evidence: ['shown', 'shown', 'shown', 'shown'],
  })
})

const page = (keys: readonly string[], total: number, status = 200) => ({
  status,
  json: { data: keys.map((key) => ({ key })), pagination: { total } },
})

test.each([
  { why: 'repeated', pages: Array(4).fill(page(['a'], 4)), repeated: true },
  { why: 'right', pages: ['a', 'b', 'c', 'd'].map((key) => page([key], 4)) },
  { why: 'of rows that change places', pages: ['a', 'a', 'a', 'b'].map((key) => page([key], 4)) },
  { why: 'of three rows', pages: Array(4).fill(page(['a'], 3)) },
  { why: 'of a list that got a fourth row', pages: [3, 3, 4, 4].map((total) => page(['a'], total)) },
  { why: 'empty', pages: Array(4).fill(page([], 4)) },
  { why: 'larger than the limit', pages: Array(4).fill(page(['a', 'a'], 4)) },
  { why: 'rejected', pages: [200, 200, 200, 400].map((status) => page(['a'], 4, status)) },
])('pages that are $why', ({ pages, repeated = false }) => {
  expect(isRepeated(pages)).toBe(repeated)
})
