import { expect, test } from 'vitest'
import { openWorld } from './open-world.ts'
import { queryEverything } from './world/test-small-world.ts'

test('a world opened from a kept history continues like a mined one', () => {
  const open = (seed: number) => openWorld({ world: 'tiny', seed })
  const continued = ({ world, random, wallets, blocks }: ReturnType<typeof openWorld>) => {
    const atStart = { nowMs: world.clock.nowMs(), newest: structuredClone(blocks.all()) }
    world.start()
    world.advance(5_000)
    const views = queryEverything(
      world.views,
      wallets.slice(0, 2).map(({ address }) => address),
    )
    return {
      atStart,
      wallets,
      views,
      log: world.eventLogHash(),
      drawn: random.stream('test').int(0, 1_000_000),
    }
  }
  const mined = continued(open(1907))
  const saved = continued(open(1907))
  const restored = continued(open(1907))
  expect(saved).toEqual(mined)
  expect(restored).toEqual(mined)
  expect(mined.atStart.newest).toHaveLength(128)
  expect(continued(open(1908)).log).not.toBe(mined.log)
})

test.each([
  ['the third world', false, [false, false, true]],
  ['the second world, if the first is one of many', true, [false, true, true]],
])('restores a saved history from %s on', (_, isFirstOfMany, expected) => {
  const seed = isFirstOfMany ? 1910 : 1909
  const open = (first: boolean) =>
    openWorld({ world: 'tiny', seed, isFirstOfMany: first && isFirstOfMany }).isRestored
  expect([open(true), open(false), open(false)]).toEqual(expected)
})
