import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('clients read what is old, while it lasts', async () => {
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

test('catches up when the plan is cleared', async () => {
  const { world, active } = await createFaultyExchange([{ fault: 'slow-indexer', lag: { ms: 60_000 } }])
  expect(world.lag()).toEqual({ ms: 60_000 })
  active.clear()
  expect(world.lag()).toEqual({ blocks: 0 })
})
