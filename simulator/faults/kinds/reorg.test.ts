import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('other blocks at the same heights, again and again', async () => {
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
