import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { findRepeatedPage, isRepeated } from './search-pages.ts'

const list = vi.hoisted(() => ({ mapOffset: (offset: number, _text: string) => offset }))

const ROWS = ['AAA', 'AAA', 'BBB'].map((token0Symbol, index) => ({
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
      /^a search for "AAA": offset 1 has the row of offset 0 in each of 4 attempts/,
    ),
    evidence: ['shown', 'shown'],
  })
})

const page = (keys: readonly string[], total: number, status = 200) => ({
  status,
  json: { data: keys.map((key) => ({ key })), pagination: { total } },
})

test.each([
  { why: 'repeated', pages: [page(['a'], 2), page(['a'], 2)], repeated: true },
  { why: 'right', pages: [page(['a'], 2), page(['b'], 2)], repeated: false },
  { why: 'of a single row', pages: [page(['a'], 1), page(['a'], 1)] },
  { why: 'of a list that got a second row', pages: [page(['a'], 1), page(['a'], 2)] },
  { why: 'empty', pages: [page([], 2), page([], 2)] },
  { why: 'larger than the limit', pages: [page(['a', 'b'], 2), page(['a', 'b'], 2)] },
  { why: 'rejected', pages: [page(['a'], 2), page(['a'], 2, 400)] },
])('pages that are $why', ({ pages, repeated = false }) => {
  expect(isRepeated(pages)).toBe(repeated)
})
