import { expect, test } from 'vitest'
import { parseMinimumRevision, parsePath, parseQuery, parseSegments } from './observed.ts'

test('parses a URL', () => {
  expect(parsePath('/pools/a%2Fb/stats?x=1?2')).toBe('/pools/a%2Fb/stats')
  expect(parsePath('/pools')).toBe('/pools')
  expect(parseSegments('/pools/a%2Fb/stats')).toEqual(['', 'pools', 'a/b', 'stats'])
  expect(parseSegments('/pools/100%')).toEqual(['', 'pools', '100%'])
  expect(parseQuery('/pools?limit=+5&a=%C3%A9')).toEqual([
    ['limit', ' 5'],
    ['a', 'é'],
  ])
  expect(parseQuery('/pools')).toEqual([])
})

test.each([
  ['/protocol/state?minimum_revision=7', 7],
  ['/protocol/state?minimum_revision=', -1],
  ['/protocol/state?minimum_revision=x', -1],
  ['/protocol/state', -1],
])('the minimum revision of %s is %i', (url, expected) => {
  expect(parseMinimumRevision(url)).toBe(expected)
})
