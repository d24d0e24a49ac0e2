import { expect, test, vi } from 'vitest'
import type { Target } from '../../../contract/scenario-config.ts'
import { readTotal, walkPages } from './walk.ts'

const ROWS = Array.from({ length: 10 }, (_, index) => ({ key: String(index) }))

// A list that clamps the limit to 4, and has no total beyond its first page.
vi.mock('./request.ts', () => ({
  request: async (_: Target, { query }: { query: { offset: string } }) => {
    const offset = Number(query.offset)
    const pagination = offset === 0 ? { total: 10 } : {}
    return { status: 200, json: { data: ROWS.slice(offset, offset + 4), pagination } }
  },
}))

const TARGET = {} as Target // as: nothing of it is read

test('walks on by the rows received, to the empty page', async () => {
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 100 })
  expect(walk).toMatchObject({ rows: ROWS, total: 10, pages: 4, ended: true })
})

test('stops at its bound', async () => {
  const walk = await walkPages(TARGET, { path: '/pools', limit: 7, rowsMax: 5 })
  expect(walk).toMatchObject({ pages: 2, ended: false })
})

test('stops after its pages, or at the row looked for', async () => {
  const list = { path: '/pools', limit: 7, rowsMax: 100 }
  expect(await walkPages(TARGET, { ...list, pagesMax: 2 })).toMatchObject({ pages: 2, ended: false })
  const found = await walkPages(TARGET, { ...list, until: ({ key }) => key === '5' })
  expect(found).toMatchObject({ pages: 2, ended: false, rows: ROWS.slice(0, 8) })
})

test('begins where it is told to', async () => {
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
