import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../contract/scenario-config.ts'
import type { Reply } from '../lib/requests/request.ts'
import { judgeProbe } from '../lib/verdict/judge.ts'
import { comparePageSize, pagingLimits, readSizedPage } from './paging-limits.ts'

const exchange = vi.hoisted(() => ({ getStatus: (_limit: string | undefined): number => 200 }))

// Modules that need k6.
vi.mock('../lib/identity/credential.ts', () => ({}))
vi.mock('../lib/market/judge-errors.ts', () => ({ judgeErrors: async () => {} }))
vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))
vi.mock('../lib/requests/request-parsed.ts', () => ({
  requestParsed: async (_: Target, { query }: { query: { limit?: string } }) => ({
    status: exchange.getStatus(query.limit),
    json: { data: [], pagination: { total: 0 } },
    evidence: () => '',
  }),
}))

test.each([
  [400, 'pass limit=0: all rejected with 400'],
  [200, 'fail limit=0: 2 responses were not 400'],
])('describes the responses to an invalid limit: %d', async (status, expected) => {
  exchange.getStatus = (limit) => (limit === '0' ? status : 200)
  const found: string[] = []
  const explorePools = { rejects: [] }
  await judgeProbe({
    rules: ['paging.limit.rejects-0'],
    getExpected: () => '',
    run: (judge) => pagingLimits.run({ profile: { choices: { explorePools } } } as unknown as Target, judge), // as: the only part used
    scenario: 'test',
    nowMs: () => 0,
    emit: ({ verdict, observed }) => found.push(`${verdict} ${observed}`),
  })
  expect(found).toEqual([expected])
})

const page = (rows: number, total?: number) => ({
  data: Array.from({ length: rows }, () => ({})),
  pagination: { total },
})

test.each([
  { why: 'as many as the limit', body: page(3, 9), size: 'right' },
  { why: 'as many as there are', body: page(2, 2), size: 'right' },
  { why: 'one more', body: page(4, 9), size: 'more' },
  { why: 'one more, and no total', body: page(4), size: 'more' },
  { why: 'one less, and the total counts more', body: page(2, 3), size: 'fewer' },
  { why: 'none, and the total counts some', body: page(0, 1), size: 'fewer' },
  { why: 'one less, and no total', body: page(2), size: 'right' },
  { why: 'no list', body: { data: null }, size: 'unclear' },
])('a page of 3 with $why: $size', ({ body, size }) => {
  expect(comparePageSize(body, { least: 3, most: 3 })).toBe(size)
})

let bodies: object[] = []
const read = async () => ({ status: 200, json: bodies.length > 1 ? bodies.shift() : bodies[0] }) as Reply // as: what is read

beforeEach(() => {
  bodies = []
})

test('a page that stays short has fewer rows', async () => {
  bodies = [page(30, 53)]
  expect(await readSizedPage(read, '50')).toMatchObject({ rows: 30, size: 'fewer' })
})

test('a page that was short once counts as it is later', async () => {
  bodies = [page(49, 50), page(50, 50)]
  expect(await readSizedPage(read, '50')).toMatchObject({ rows: 50, size: 'right' })
})

test('without a limit, a page has 1 to 100 rows', async () => {
  bodies = [page(20, 53)]
  expect(await readSizedPage(read, null)).toMatchObject({ size: 'right' })
  bodies = [page(101, 200)]
  expect(await readSizedPage(read, null)).toMatchObject({ size: 'more' })
})
