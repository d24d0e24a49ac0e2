import { expect, test } from 'vitest'
import { inOrder, pageFromEnd } from './list-order.ts'

const ROWS = Array.from({ length: 25 }, (_, index) => index)
const read = ({ limit, offset }: { limit: number; offset: number }) => ({
  rows: ROWS.slice(offset, offset + limit),
  total: ROWS.length,
})

test.each([1, 7, 24, 25, 26])('pages of %d rows from the end make up the list backwards', (limit) => {
  const rows: number[] = []
  for (let offset = 0; offset < ROWS.length; offset += limit) {
    const page = pageFromEnd(read, { limit, offset })
    expect(page.total).toBe(ROWS.length)
    rows.push(...page.rows)
  }
  expect(rows).toEqual(ROWS.toReversed())
  expect(pageFromEnd(read, { limit, offset: 25 }).rows).toEqual([])
  expect(pageFromEnd(read, { limit, offset: 99 }).rows).toEqual([])
})

test('a list turns around where it is asked to', () => {
  expect(inOrder([1, 2, 3], 'oldest first')).toEqual([1, 2, 3])
  expect(inOrder([1, 2, 3], 'newest first')).toEqual([3, 2, 1])
})
