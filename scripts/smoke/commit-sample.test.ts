import { expect, test } from 'vitest'
import { sampleOfCommit } from './commit-sample.ts'

const ITEMS = Array.from({ length: 30 }, (_, index) => ({ name: `item ${index}` }))

test('chooses the same for the same commit, in the order given', () => {
  const chosen = sampleOfCommit(ITEMS, 5, 'abc')
  expect(chosen).toHaveLength(5)
  expect(sampleOfCommit([...ITEMS].reverse(), 5, 'abc').reverse()).toEqual(chosen)
})

test('comes to everything within some commits', () => {
  const seen = new Set(
    Array.from({ length: 60 }, (_, commit) => sampleOfCommit(ITEMS, 5, `commit ${commit}`)).flat(),
  )
  expect(seen.size).toBe(ITEMS.length)
})

test('chooses by the commit at hand', () => {
  expect(sampleOfCommit(ITEMS, 5)).toEqual(sampleOfCommit(ITEMS, 5))
  expect(sampleOfCommit(ITEMS, 100)).toEqual(ITEMS)
})
