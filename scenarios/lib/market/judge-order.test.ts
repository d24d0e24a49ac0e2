import { expect, test, vi } from 'vitest'
import { isOpposite, isTextual } from './judge-order.ts'

vi.mock('../requests/request.ts', () => ({}))
vi.mock('../time/pause.ts', () => ({ pause: async () => undefined }))

const SORT = { field: 'volumeUsd', compare: 'number' } as const
const page = (...volumes: number[]) => volumes.map((volume) => ({ volumeUsd: String(volume) }))

test.each([
  { why: 'descending', rows: page(9, 7, 5, 3, 1), opposite: true },
  { why: 'ascending', rows: page(1, 3, 5, 7, 9), opposite: false },
  { why: 'ascending, and one row out of place', rows: page(1, 3, 2, 7, 9), opposite: false },
  { why: 'descending, and one row out of place', rows: page(9, 7, 8, 3, 1), opposite: false },
  { why: 'descending with too few values', rows: page(9, 7, 7, 7, 5), opposite: false },
  { why: 'empty', rows: [], opposite: false },
])('a page in ascending order that is $why', ({ rows, opposite }) => {
  expect(isOpposite(rows, { sort: SORT, order: 'asc' })).toBe(opposite)
})

test.each([
  { why: 'as text', rows: page(10, 2, 300, 4, 50), textual: true },
  { why: 'as numbers', rows: page(2, 4, 10, 50, 300), textual: false },
  { why: 'as both', rows: page(1, 3, 5, 7, 9), textual: false },
  { why: 'as neither', rows: page(10, 2, 4, 3, 50), textual: false },
  { why: 'as text, with too few values', rows: page(10, 2, 300), textual: false },
])('a page that ascends $why', ({ rows, textual }) => {
  expect(isTextual(rows, { sort: SORT, order: 'asc' })).toBe(textual)
})
