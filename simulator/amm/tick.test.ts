import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import { createPool } from './pool.ts'
import { mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { deleteTick, nextTickWithinWord, setTick, type TickMap } from './tick.ts'
import { sqrtPriceX96AtTick } from './tick-math.ts'

const state = {
  liquidityGross: 1n,
  liquidityNet: 1n,
  feeGrowthOutside0X128: 0n,
  feeGrowthOutside1X128: 0n,
  tickCumulativeOutside: 0n,
  secondsPerLiquidityOutsideX128: 0n,
  secondsOutside: 0,
}

function buildMap(ticks: readonly number[]): TickMap {
  const map: TickMap = { byTick: new Map(), ascending: [] }
  for (const tick of ticks) setTick(map, tick, state)
  return map
}

test('agrees with a walk over every spacing of the word', () => {
  const spacings = fc.constantFrom(1, 10, 60, 200)
  const compressed = fc.uniqueArray(fc.integer({ min: -600, max: 600 }), { maxLength: 40 })
  fc.assert(
    fc.property(spacings, compressed, fc.integer({ min: -40_000, max: 40_000 }), (spacing, ticks, from) => {
      const map = buildMap(ticks.map((tick) => tick * spacing))
      for (const direction of ['down', 'up'] as const) {
        expect(nextTickWithinWord(map, from, spacing, direction)).toEqual(walk(map, from, spacing, direction))
      }
    }),
  )
})

test('keeps the ticks in order, each once, after any sequence of sets and deletes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -20, max: 20 }))), (changes) => {
      const map = buildMap([])
      const expected = new Set<number>()
      for (const [set, tick] of changes) {
        if (set) setTick(map, tick, state)
        else deleteTick(map, tick)
        if (set) expected.add(tick)
        else expected.delete(tick)
      }
      expect(map.ascending).toEqual([...expected].sort((a, b) => a - b))
      expect(new Set(map.byTick.keys())).toEqual(expected)
    }),
  )
})

/** The definition, step by step: down from the current spacing, up from the next, to a set tick or the word's end. */
function walk(map: TickMap, from: number, spacing: number, direction: 'down' | 'up') {
  const step = direction === 'down' ? -1 : 1
  let compressed = Math.floor(from / spacing) + (direction === 'down' ? 0 : 1)
  for (;;) {
    const tick = compressed * spacing
    const last = ((compressed % 256) + 256) % 256 === (direction === 'down' ? 0 : 255)
    if (map.byTick.has(tick)) return { tick, initialized: true }
    if (last) return { tick, initialized: false }
    compressed += step
  }
}

test('all earlier growth counts as below: a tick at the price starts with it, one above with nothing; crossing flips it', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96, timeS: 2 ** 32 - 10 })
  pool.feeGrowthGlobal0X128 = 11n
  pool.feeGrowthGlobal1X128 = 12n
  mint(pool, { owner: 'lp', tickLower: 0, tickUpper: 60 }, 1n << 60n, 2 ** 32 - 6)
  const nothing = {
    feeGrowthOutside0X128: 0n,
    feeGrowthOutside1X128: 0n,
    tickCumulativeOutside: 0n,
    secondsPerLiquidityOutsideX128: 0n,
    secondsOutside: 0,
  }
  expect(pool.ticks.byTick.get(0)).toMatchObject({
    ...nothing,
    feeGrowthOutside0X128: 11n,
    feeGrowthOutside1X128: 12n,
    secondsPerLiquidityOutsideX128: 4n << 128n,
    secondsOutside: 2 ** 32 - 6,
  })
  expect(pool.ticks.byTick.get(60)).toMatchObject(nothing)

  const sqrtPriceLimitX96 = sqrtPriceX96AtTick(-60)
  applySwap(pool, computeSwap(pool, { zeroForOne: true, amountSpecified: 100n, sqrtPriceLimitX96 }), 5)
  expect(pool.ticks.byTick.get(0)).toMatchObject({
    ...nothing,
    feeGrowthOutside0X128: pool.feeGrowthGlobal0X128 - 11n,
    secondsPerLiquidityOutsideX128: 11n << 68n,
    secondsOutside: 11,
  })
})
