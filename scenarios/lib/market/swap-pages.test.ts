import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { compareSwapPages } from './swap-pages.ts'

type Page = { offset: number; limit: number }
type Body = { data: { id: string }[]; pagination: { total: number } }

const list = vi.hoisted(() => ({
  requested: 0,
  serve: (_page: Page, _request: number): unknown => undefined,
}))

vi.mock('../requests/request-parsed.ts', () => ({}))
vi.mock('../requests/walk.ts', () => ({ readTotal: (body: Body) => body.pagination.total }))
vi.mock('../requests/must-be-served.ts', () => ({
  async mustBeServed(_: Target, { query }: { query: Record<string, string> }) {
    const page = { offset: Number(query.offset), limit: Number(query.limit) }
    return { status: 200, json: list.serve(page, list.requested++), evidence: () => `offset ${page.offset}` }
  },
}))

/** Newest first, as most lists are. */
function serve({ offset, limit }: Page, total: number): Body {
  const rows = Array.from({ length: total }, (_, index) => ({ id: `s${total - index}` }))
  return { data: rows.slice(offset, offset + limit), pagination: { total } }
}

const find = async () => (await compareSwapPages({} as Target, { bearer: 'ss_token' })).problem // as: unused

beforeEach(() => Object.assign(list, { requested: 0, serve: (page: Page) => serve(page, 50) }))

test('reads the pages of a list that stays the same once', async () => {
  expect([await find(), list.requested]).toEqual([undefined, 5])
})

test('pages of replicas in different states are compared with those of the same state', async () => {
  list.serve = (page, request) => serve(page, 50 + (request % 3))
  expect(await find()).toBeUndefined()
})

test.each([
  ['a new swap before each page', (page: Page, request: number) => serve(page, 50 + request)],
  [
    'a replica for whole pages and others for the halves',
    (page: Page) => serve(page, page.limit === 20 ? 50 : 51 + (page.offset % 3)),
  ],
  [
    'a total that is counted less often',
    (page: Page, request: number) => ({ ...serve(page, 50 + request), pagination: { total: 50 } }),
  ],
])('%s proves nothing', async (_, serving) => {
  list.serve = serving
  await expect(find()).rejects.toThrow('swaps are added faster')
})

test.each([
  [
    'later pages start one row early',
    (page: Page) => serve({ ...page, offset: Math.max(0, page.offset - 1) }, 50),
    '1 swaps are on two pages, the first s41',
  ],
  [
    'later pages start one row late',
    (page: Page) => serve({ ...page, offset: page.offset && page.offset + 1 }, 50),
    '1 swaps are on no page, the first s40',
  ],
  [
    'the last offset has no swap',
    (page: Page) => serve(page.offset < 49 ? page : { ...page, limit: 0 }, 50),
    '0 swaps at the last offset of 50; expected 1',
  ],
  [
    'the total is that of the page',
    (page: Page) => ({ ...serve(page, 50), pagination: { total: page.limit } }),
    '10 swaps past the total of 10',
  ],
])('finds that %s', async (_, serving, problem) => {
  list.serve = serving
  expect(await find()).toBe(problem)
})
