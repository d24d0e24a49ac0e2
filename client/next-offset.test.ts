import { expect, test } from 'vitest'
import { nextOffset } from './next-offset.ts'

test.each([
  ['goes on after the rows that came', { offset: 10, rows: 7, total: 30 }, 17],
  ['ends where all rows are there', { offset: 20, rows: 10, total: 30 }, undefined],
  ['ends at an empty page, whatever the total says', { offset: 20, rows: 0, total: 30 }, undefined],
  ['goes on where there is no total', { offset: 0, rows: 3, total: Number.NaN }, 3],
])('%s', (_, page, next) => {
  expect(nextOffset(page)).toBe(next)
})
