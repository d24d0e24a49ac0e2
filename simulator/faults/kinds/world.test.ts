// The faults of the world itself: slow-indexer, revision-storm and reorg.
import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('slow-indexer: clients read what is old, while it lasts', async () => {
  const { world, active } = await createFaultyExchange([
    { fault: 'slow-indexer', lag: { blocks: 3 }, when: { afterMs: 1000, forMs: 5000 } },
  ])
  const behind = () => world.state().chain.height - world.views.head().height
  world.mine(1)
  expect([world.lag(), behind()]).toEqual([{ blocks: 0 }, 0])
  world.clock.advance(1000)
  world.mine(5)
  expect(behind()).toBe(3)
  world.clock.advance(5000)
  expect([world.lag(), behind()]).toEqual([{ blocks: 0 }, 0])
  expect(active.list()).toMatchObject([{ decisions: 1, acted: 1 }])
})

test('slow-indexer: catches up when the plan is cleared', async () => {
  const { world, active } = await createFaultyExchange([{ fault: 'slow-indexer', lag: { ms: 60_000 } }])
  expect(world.lag()).toEqual({ ms: 60_000 })
  active.clear()
  expect(world.lag()).toEqual({ blocks: 0 })
})

test('revision-storm: a change each interval, as many times as told, and none once it is cleared', async () => {
  const { world, active } = await createFaultyExchange([
    { fault: 'revision-storm', everyMs: 1000, when: { times: 3 } },
  ])
  const before = world.chainRevision()
  const revisionsAfter = (ms: number) => {
    world.clock.advance(ms)
    world.mine(1)
    return world.chainRevision() - before
  }
  expect([revisionsAfter(0), revisionsAfter(999), revisionsAfter(10_000)]).toEqual([1, 2, 3])
  active.clear()
  expect(revisionsAfter(60_000)).toBe(3)
})

test('reorg: other blocks at the same heights, again and again', async () => {
  const { world, decisions } = await createFaultyExchange([
    { fault: 'reorg', depth: 2, everyMs: 10_000, when: { afterMs: 10_000 } },
  ])
  world.mine(5)
  const updates: number[] = []
  world.onBlock(({ block }) => updates.push(block.height))
  const { height } = world.views.head()
  world.clock.advance(7499)
  expect(updates).toEqual([])
  world.clock.advance(1)
  expect(updates).toEqual([height - 1, height])
  world.clock.advance(10_000)
  expect(updates).toEqual([height - 1, height, height - 1, height])
  expect(decisions()).toHaveLength(2)
})
