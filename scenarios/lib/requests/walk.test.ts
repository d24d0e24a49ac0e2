import { beforeEach, expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { NotServed } from '../verdict/judge.ts'
import { isMissingIn, readTotal, walkPages } from './walk.ts'

const ROWS = Array.from({ length: 10 }, (_, index) => ({ key: String(index) }))

const list = vi.hoisted(() => ({
  /** Maps the requested offset to the served one. */
  mapOffset: (offset: number, _asked: number) => offset,
  requested: 0,
  refusedFrom: 1000,
  getPrice: (_asked: number): string | undefined => undefined,
  countAtEnd: undefined as number | undefined, // as: set by a test
}))

// A list that clamps the limit to 4, and states the total only on its first page.
vi.mock('./request.ts', () => ({
  request: async (_: Target, { query }: { query: { offset: string } }) => {
    const offset = list.mapOffset(Number(query.offset), list.requested++)
    const total = offset < ROWS.length ? undefined : list.countAtEnd
    const pagination = offset === 0 ? { total: 10 } : { total }
    const data = ROWS.slice(offset, offset + 4).map((row) => ({
      ...row,
      price: list.getPrice(list.requested),
    }))
    const status = offset >= list.refusedFrom ? 400 : 200
    return { status, json: { data, pagination }, evidence: () => `-> ${status}` }
  },
  isError: () => false,
}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

beforeEach(() =>
  Object.assign(list, {
    mapOffset: (offset: number) => offset,
    requested: 0,
    refusedFrom: 1000,
    getPrice: () => undefined,
    countAtEnd: undefined,
  }),
)

const TARGET = {} as Target // as: unused

test('advances by the rows received, to the empty page', async () => {
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 100 })
  expect(walk).toMatchObject({
    rows: ROWS,
    total: 10,
    leastTotal: 10,
    reached: undefined,
    pages: 4,
    ended: true,
  })
})

test.each([
  { countAtEnd: 0, least: 10, why: 'below its offset' },
  { countAtEnd: 10, least: 10, why: 'of the list' },
])('the total of the empty page is $countAtEnd, $why', async ({ countAtEnd, least }) => {
  Object.assign(list, { countAtEnd })
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 100 })
  expect(walk).toMatchObject({ leastTotal: least, ended: true })
})

test('stops at its bound', async () => {
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 5 })
  expect(walk).toMatchObject({ pages: 2, ended: false })
})

test('stops after its pages, or at the wanted row', async () => {
  const list = { path: '/pools', limit: 7, rowsMax: 100 }
  expect(await walkPages(TARGET, { ...list, pagesMax: 2 })).toMatchObject({ pages: 2, ended: false })
  const found = await walkPages(TARGET, { ...list, until: ({ key }) => key === '5' })
  expect(found).toMatchObject({ pages: 2, ended: false, rows: ROWS.slice(0, 8) })
})

test('a list that ignores the offset is confirmed by a few reads, and not read to the bound', async () => {
  list.mapOffset = () => 0
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 1_000_000 })
  expect(walk).toMatchObject({ rows: ROWS.slice(0, 4), ended: false })
  expect(walk.stuck).toContain('offset 4 has the rows of offset 0 in each of 4 attempts')
  expect(list.requested).toBe(2 + 3 * 3)
})

test('the same applies to equal rows with changing figures', async () => {
  Object.assign(list, { mapOffset: () => 0, getPrice: String })
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 1_000_000 })
  expect(walk.stuck).toContain('offset 4 has the rows of offset 0')
})

test('the same applies to a list that repeats its last page', async () => {
  list.mapOffset = (offset) => Math.min(offset, 8)
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 1_000_000 })
  expect(walk).toMatchObject({ rows: ROWS, ended: false })
  expect(walk.stuck).toContain('offset 10 has the rows of offset 8')
})

test('the same applies to a list with new rows before the repeated ones, but not to one that only moved by two', async () => {
  // Two reads for each offset, and one of the first page for the witness.
  const mapOffset = (_: number, requested: number) => Math.max(0, 6 - Math.floor(requested / 2))
  list.mapOffset = mapOffset
  const repeating = await walkPages(TARGET, { path: '/pools', limit: 4, rowsMax: 1_000_000 })
  expect(repeating.stuck).toContain('offset 4 has the rows of offset 0')
  Object.assign(list, { requested: 0, mapOffset: (offset: number) => Math.max(0, offset - 2) })
  const moved = await walkPages(TARGET, { path: '/pools', limit: 4, rowsMax: 8 })
  expect(moved.stuck).toBeUndefined()
  // Pages of four rows, of seven requested: offsets may count rows that are left out, unless a page is the same once.
  Object.assign(list, { requested: 0, mapOffset })
  const short = () => walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 8 })
  expect((await short()).stuck).toContain('offset 4 has the rows of offset 0')
  Object.assign(list, {
    requested: 0,
    mapOffset: (_: number, requested: number) => Math.max(0, 6 - requested),
  })
  expect((await short()).stuck).toBeUndefined()
})

test('a list that shifted by a page is walked to its end', async () => {
  list.mapOffset = (offset, requested) => (requested === 1 ? 0 : offset)
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 1_000_000 })
  expect(walk).toMatchObject({
    rows: [...ROWS.slice(0, 4), ...ROWS.slice(0, 4), ...ROWS.slice(8)],
    ended: true,
  })
  expect(walk.stuck).toBeUndefined()
})

test.each([
  { path: '/explore/pools', refusedFrom: 10, why: 'stops at a page beyond the total that is refused' },
  { path: '/pools', refusedFrom: 10, why: 'throws: /pools has a page beyond its last row' },
  { path: '/explore/pools', refusedFrom: 8, why: 'throws: the page is below the total' },
])('$path, refused from offset $refusedFrom: $why', async ({ path, refusedFrom, why }) => {
  Object.assign(list, { refusedFrom })
  const walk = walkPages(TARGET, { path, limit: 7, rowsMax: 100 })
  if (why.startsWith('throws')) await expect(walk).rejects.toThrow(NotServed)
  else expect(await walk).toMatchObject({ rows: ROWS, pages: 3, ended: false })
})

test('starts at the given offset', async () => {
  expect(await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 100, from: 8 })).toMatchObject({
    rows: ROWS.slice(8),
    ended: true,
  })
})

test.each([
  [{}],
  [{ pagination: null }],
  [{ pagination: { total: '10' } }],
  [{ pagination: { total: null } }],
])('reads no total from %j', (body) => {
  expect(readTotal(body)).toBeUndefined()
})

test.each([
  ['after the end', { ended: true, total: undefined }, true],
  ['if the first page had room for all rows', { ended: false, total: 7 }, true],
  ['if there may be more rows', { ended: false, total: 8 }, false],
  ['without a total', { ended: false, total: undefined }, false],
])('a row that was not found is missing %s: %s', (_, walk, expected) => {
  expect(isMissingIn(walk, { limit: 7 })).toBe(expected)
})
