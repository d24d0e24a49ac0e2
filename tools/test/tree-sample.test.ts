import { expect, test } from 'vitest'
import { sampleOfTree } from './tree-sample.ts'

const ITEMS = Array.from({ length: 30 }, (_, index) => ({ name: `item ${index}` }))

test('draws the same items for the same tree, in the given order', () => {
  const chosen = sampleOfTree(ITEMS, 5, 'abc')
  expect(chosen).toHaveLength(5)
  expect(sampleOfTree([...ITEMS].reverse(), 5, 'abc').reverse()).toEqual(chosen)
})

test('covers everything over several trees', () => {
  const seen = new Set(Array.from({ length: 60 }, (_, tree) => sampleOfTree(ITEMS, 5, `tree ${tree}`)).flat())
  expect(seen.size).toBe(ITEMS.length)
})

test('draws by the current tree', () => {
  expect(sampleOfTree(ITEMS, 5)).toEqual(sampleOfTree(ITEMS, 5))
  expect(sampleOfTree(ITEMS, 100)).toEqual(ITEMS)
})
