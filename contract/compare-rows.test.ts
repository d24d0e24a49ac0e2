import { expect, test } from 'vitest'
import { compareRows } from './compare-rows.ts'

const rows = (...values: unknown[]) => values.map((value) => ({ field: value }))

test.each([
  { compare: 'number' as const, values: ['9', '10', '10.5'], why: 'numbers, not texts' },
  { compare: 'number' as const, values: ['-2', '-1.5', '0'], why: 'signed' },
  {
    compare: 'number' as const,
    values: ['900719925474099267', '900719925474099268'],
    why: 'more digits than a native number holds',
  },
  { compare: 'text' as const, values: ['Z', 'a', 'ä', '😀'], why: 'code points' },
  { compare: 'time' as const, values: ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+00:30'], why: 'dates' },
  { compare: 'time' as const, values: [1767225600, 1767225601000], why: 'seconds and milliseconds' },
])('finds $why in order, and out of order when reversed', ({ compare, values }) => {
  const sort = { field: 'field', compare }
  expect(compareRows(rows(...values), { sort, order: 'asc' })).toEqual({
    disorder: undefined,
    differing: values.length - 1,
  })
  expect(compareRows(rows(...values), { sort, order: 'desc' }).disorder).toBe(
    `${values[0]} comes before ${values[1]}`,
  )
})

test('skips nulls, whose position is unspecified', () => {
  const sort = { field: 'field', compare: 'number' as const }
  expect(compareRows(rows(null, '2', null, '1'), { sort, order: 'desc' }).disorder).toBeUndefined()
  expect(compareRows(rows('1', null, '2'), { sort, order: 'desc' }).disorder).toBe('1 comes before 2')
})

test.each([
  { what: 'the field is absent', field: 'other', values: ['2', '1'] },
  { what: 'all values are equal', field: 'field', values: ['1', '1.0', '1'] },
  { what: 'values are not numbers', field: 'field', values: ['1e5', 'x', ''] },
])('finds no order if $what', ({ field, values }) => {
  const sort = { field, compare: 'number' as const }
  expect(compareRows(rows(...values), { sort, order: 'asc' })).toEqual({ disorder: undefined, differing: 0 })
})
