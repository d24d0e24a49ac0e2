import { expect, test, vi } from 'vitest'
import { expectSeveralWorlds, openWorld } from './open-world.ts'
import { queryEverything } from './world/query-everything.ts'
import * as worldModule from './world/world.ts'

vi.mock('./world/world.ts', { spy: true })

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

test('mines a history twice, or once if several worlds are expected', () => {
  const countMined = (seed: number) => {
    vi.mocked(worldModule.createWorld).mockClear()
    for (let opened = 0; opened < 3; opened++) openWorld({ world: 'tiny', seed })
    return vi.mocked(worldModule.createWorld).mock.calls.length
  }
  expect(countMined(1909)).toBe(2)
  expectSeveralWorlds()
  expect(countMined(1910)).toBe(1)
})
