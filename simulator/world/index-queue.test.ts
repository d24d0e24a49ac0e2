import { expect, test } from 'vitest'
import { createSmallWorld } from './test-small-world.ts'

test('with a lag of blocks the views stay that far behind, and catch up when it shrinks', () => {
  const { world } = createSmallWorld(1)
  const updates: number[] = []
  world.onBlock(({ block }) => updates.push(block.height))
  world.setLag({ blocks: 2 })
  world.mine(2)
  expect([world.views.head().height, updates]).toEqual([30, []])
  world.mine(3)
  expect(updates).toEqual([31, 32, 33])
  world.setLag({ blocks: 1 })
  expect(updates).toEqual([31, 32, 33, 34])
  world.setLag({ blocks: 9 })
  expect(world.views.head().height).toBe(34)
  expect(world.lag()).toEqual({ blocks: 9 })
})

test('with a lag of time each block is indexed at that age, whether mining continues or not', () => {
  const { world } = createSmallWorld(1)
  const startMs = world.clock.nowMs()
  const indexedAtMs: number[] = []
  world.onBlock(() => indexedAtMs.push(world.clock.nowMs() - startMs))
  world.setLag({ ms: 1300 })
  world.mine(3)
  expect(indexedAtMs).toEqual([])
  world.advance(299)
  expect(indexedAtMs).toEqual([])
  world.advance(10_000)
  expect(indexedAtMs).toEqual([1800, 2300, 2800])
})

test('a reorg of indexed blocks has no effect while held, and is announced with the first replacement', () => {
  const { world } = createSmallWorld(1)
  const updates: [number, number][] = []
  world.mine(5)
  const head = world.views.head()
  world.onBlock(({ block, reorged }) => updates.push([block.height, reorged]))
  world.holdIndexer()
  world.reorg(3)
  world.mine(1)
  expect([world.views.head(), updates]).toEqual([head, []])
  world.reorg(2)
  const held = world.snapshot()
  world.releaseIndexer()
  expect(updates).toEqual([
    [33, 3],
    [34, 0],
    [35, 0],
    [36, 0],
  ])
  expect(world.views.head().height).toBe(36)
  world.revert(held)
  world.releaseIndexer()
  expect(updates.slice(4)).toEqual(updates.slice(0, 4))
})

test('while held nothing is indexed whatever the lag, and then what the lag allows', () => {
  const { world } = createSmallWorld(1)
  world.setLag({ ms: 1000 })
  world.mine(1)
  world.holdIndexer()
  world.mine(3)
  world.advance(500)
  expect(world.views.head().height).toBe(30)
  world.releaseIndexer()
  expect(world.views.head().height).toBe(33)
  world.advance(500)
  expect(world.views.head().height).toBe(34)
})
