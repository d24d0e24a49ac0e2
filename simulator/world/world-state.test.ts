import { expect, test } from 'vitest'
import { createSmallWorld, shown } from './test-small-world.ts'
import type { World } from './world.ts'
import { WorldError } from './world-state.ts'

type Call = (world: World, value: number) => void

const interval: Call = (world, intervalMs) => world.setMining({ mode: 'interval', intervalMs })
const lagBlocks: Call = (world, blocks) => world.setLag({ blocks })
const lagMs: Call = (world, ms) => world.setLag({ ms })
const DAY_MS = 86_400_000

const CALLS: [name: string, call: Call, min: number, max?: number][] = [
  ['intervalMs', interval, 1, DAY_MS],
  ['lagBlocks', lagBlocks, 0, 1000],
  ['lagMs', lagMs, 0, DAY_MS],
  ['blocks', (world, blocks) => world.mine(blocks), 0],
  ['depth', (world, depth) => world.reorg(depth), 1],
  ['advanceMs', (world, ms) => world.advance(ms), 0],
]

test.each(CALLS)(
  '%s that are not whole numbers, or out of bounds, are rejected and change nothing',
  (name, call, min, max) => {
    const run = createSmallWorld(1)
    run.world.start()
    const before = shown(run)
    const bounds = `at least ${min}${max === undefined ? '' : ` and at most ${max}`}`
    const above = max === undefined ? [] : [max + 1]
    for (const value of [1.5, -0.5, -1, min - 1, Number.NaN, Number.POSITIVE_INFINITY, ...above]) {
      const refused = () => call(run.world, value)
      expect(refused).toThrow(WorldError)
      expect(refused).toThrow(
        expect.objectContaining({
          code: 'argument_invalid',
          message: `${name}: expected a whole number of ${bounds}, got ${value}`,
        }),
      )
    }
    expect(shown(run)).toEqual(before)
  },
)

test.each(CALLS)('%s at the ends of their bounds are accepted', (_, call, min, max) => {
  const { world } = createSmallWorld(1)
  for (const value of [min, max ?? 5]) call(world, value)
})
