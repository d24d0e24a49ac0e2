import { expect, test } from 'vitest'
import { sampleByTree } from './tree-sample.ts'

const ITEMS = Array.from({ length: 30 }, (_, index) => ({ name: `item ${index}` }))

test('draws the same items for the same tree, in the given order', () => {
  const chosen = sampleByTree(ITEMS, 5, 'abc')
  expect(chosen).toHaveLength(5)
  expect(sampleByTree([...ITEMS].reverse(), 5, 'abc').reverse()).toEqual(chosen)
})

test('covers everything over several trees', () => {
  const seen = new Set(Array.from({ length: 60 }, (_, tree) => sampleByTree(ITEMS, 5, `tree ${tree}`)).flat())
  expect(seen.size).toBe(ITEMS.length)
})

test('draws by the current tree', () => {
  expect(sampleByTree(ITEMS, 5)).toEqual(sampleByTree(ITEMS, 5))
  expect(sampleByTree(ITEMS, 100)).toEqual(ITEMS)
})
