import { expect, test } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { BoundedMap } from './observer-rule.ts'
import { OBSERVER_RULES } from './observer-rules.ts'

test('every catalogue rule that binds clients is checked, in its order', () => {
  expect(OBSERVER_RULES.map(({ id }) => id)).toEqual(CLIENT_RULES.map(({ id }) => id))
})

test('every rule has advice in a whole sentence', () => {
  expect(OBSERVER_RULES.filter(({ advice }) => !/^[A-Z].{20,}\.$/.test(advice))).toEqual([])
})

test('forgets the oldest entry', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ])
})
