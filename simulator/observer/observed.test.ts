import { expect, test } from 'vitest'
import { minimumRevisionOf, pathOf, queryOf, segmentsOf } from './observed.ts'

test('parses a URL', () => {
  expect(pathOf('/pools/a%2Fb/stats?x=1?2')).toBe('/pools/a%2Fb/stats')
  expect(pathOf('/pools')).toBe('/pools')
  expect(segmentsOf('/pools/a%2Fb/stats')).toEqual(['', 'pools', 'a/b', 'stats'])
  expect(segmentsOf('/pools/100%')).toEqual(['', 'pools', '100%'])
  expect(queryOf('/pools?limit=+5&a=%C3%A9')).toEqual([
    ['limit', ' 5'],
    ['a', 'é'],
  ])
  expect(queryOf('/pools')).toEqual([])
})

test.each([
  ['/protocol/state?minimum_revision=7', 7],
  ['/protocol/state?minimum_revision=', -1],
  ['/protocol/state?minimum_revision=x', -1],
  ['/protocol/state', -1],
])('the minimum revision of %s is %i', (url, expected) => {
  expect(minimumRevisionOf(url)).toBe(expected)
})
