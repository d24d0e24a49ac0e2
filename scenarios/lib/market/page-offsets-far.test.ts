import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { findFarOffset, isPastEnd } from './page-offsets.ts'

type Page = { status: number; json: unknown }

const page = (rows: number, pagination: object, status = 200): Page => ({
  status,
  json: { data: Array.from({ length: rows }, () => ({})), pagination },
})

const list = vi.hoisted(() => ({ read: (_offset: number): unknown => undefined, offsets: [] as number[] }))

vi.mock('../requests/request.ts', () => ({
  isError: ({ status }: { status: number }) => status === 0 || status >= 500,
}))
vi.mock('../requests/request-parsed.ts', () => ({
  requestParsed: async (_: Target, { query }: { query: { offset?: string } }) => {
    const offset = Number(query.offset ?? 0)
    if (query.offset !== undefined) list.offsets.push(offset)
    const read = offset === 0 ? page(10, { total: 26, limit: 10, offset }) : (list.read(offset) as Page) // as: set by each test
    return { ...read, evidence: () => `-> ${read.status}` }
  },
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

beforeEach(() => {
  list.offsets = []
})

const find = () => findFarOffset({} as Target, { path: '/swaps' }) // as: unused

test.each([
  { why: 'is empty', read: (offset: number) => page(0, { total: 26, limit: 10, offset }) },
  { why: 'is rejected', read: () => page(0, {}, 400) },
  { why: 'is the last one', read: () => page(10, { total: 26, limit: 10, offset: 16 }) },
  { why: 'is the first one', read: () => page(10, { total: 26, limit: 10, offset: 0 }) },
])('a page that $why', async ({ read }) => {
  list.read = read
  expect(await find()).toBeUndefined()
  expect(list.offsets).toEqual([1026, 3_000_000_000, 2 ** 63])
})

test.each([
  { why: 'an error', read: () => page(0, {}, 500), problem: /^at offset 1026: 500 in each of 4 attempts/ },
  {
    why: 'an error beyond 32 bits',
    read: (offset: number) => page(0, { total: 26, limit: 10, offset }, offset > 2 ** 31 ? 0 : 200),
    problem: /^at offset 3000000000: no response in each of 4/,
  },
  {
    why: 'an error at the largest offset',
    read: (offset: number) => page(0, {}, offset > 2 ** 62 ? 500 : 400),
    problem: /^at offset 9223372036854775807: 500 in each of 4/,
  },
  {
    why: 'rows',
    read: (offset: number) => page(10, { total: 26, limit: 10, offset }),
    problem: /^at offset 1026: rows past the end in each of 4 attempts/,
  },
])('finds $why', async ({ read, problem }) => {
  list.read = read
  expect((await find())?.problem).toMatch(problem)
})

test('rows at the end of a list that just got shorter are not past it', () => {
  expect(isPastEnd(page(3, { total: 26, limit: 10, offset: 28 }))).toBe(false)
  expect(isPastEnd(page(3, { total: 26, limit: 10, offset: 29 }))).toBe(true)
})
