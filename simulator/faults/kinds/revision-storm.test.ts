import { expect, test } from 'vitest'
import { createFaultyExchange } from '../test-faulty-exchange.ts'

test('a change each interval, as many times as told, and none once it is cleared', async () => {
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
