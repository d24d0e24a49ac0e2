import { expect, test } from 'vitest'
import { BoundedMap } from './observer-rule.ts'

test('forgets the oldest entry', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ])
})
