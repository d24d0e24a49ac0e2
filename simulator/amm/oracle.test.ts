import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Q96 } from './full-math.ts'
import {
  createOracle,
  growOracle,
  increaseObservationCardinality,
  type Observation,
  observe,
  observeAt,
  snapshotCumulativesInside,
  writeObservation,
} from './oracle.ts'
import { createPool } from './pool.ts'
import { burn, mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { sqrtPriceX96AtTick } from './tick-math.ts'

const idle = { tick: 0, liquidity: 0n }

test('starts with one slot and a zero observation', () => {
  expect(createOracle(2 ** 32 + 5)).toEqual({
    observations: [{ timeS: 5, tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n }],
    index: 0,
    cardinality: 1,
    cardinalityNext: 1,
  })
})

test('writes the elapsed values, once per second, over the only slot', () => {
  const oracle = createOracle(100)
  writeObservation(oracle, { timeS: 110, tick: -7, liquidity: 4n })
  writeObservation(oracle, { timeS: 110, tick: 999, liquidity: 1n })
  writeObservation(oracle, { timeS: 113, tick: 2, liquidity: 0n })
  expect(oracle.observations).toEqual([
    {
      timeS: 113,
      tickCumulative: -70n + 6n,
      secondsPerLiquidityCumulativeX128: (10n << 126n) + (3n << 128n),
    },
  ])
})

test('uses new slots only after reaching the last one', () => {
  const oracle = createOracle(0)
  const trail: number[][] = []
  const write = (timeS: number) => {
    writeObservation(oracle, { ...idle, timeS })
    trail.push([oracle.index, oracle.cardinality, oracle.cardinalityNext])
  }
  growOracle(oracle, 2)
  for (const timeS of [1, 2]) write(timeS)
  growOracle(oracle, 4)
  growOracle(oracle, 3)
  for (const timeS of [3, 4, 5, 6]) write(timeS)
  expect(trail).toEqual([
    [1, 2, 2],
    [0, 2, 2],
    [1, 2, 4],
    [2, 4, 4],
    [3, 4, 4],
    [0, 4, 4],
  ])
  expect(oracle.observations.map(({ timeS }) => timeS)).toEqual([6, 3, 4, 5])
})

test.each([-1, 1.5, 65_536])('refuses %d slots', (slots) => {
  const oracle = createOracle(0)
  expect(() => growOracle(oracle, slots)).toThrow(expect.objectContaining({ code: 'overflow' }))
  expect(oracle).toEqual(createOracle(0))
})

test('interpolates: truncates the share of ticks before multiplying, that of seconds after', () => {
  const oracle = createOracle(0)
  growOracle(oracle, 3)
  // Cumulatives that no constant tick produces, as after the first observation was overwritten.
  oracle.observations[0] = { timeS: 0, tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n }
  oracle.observations[1] = { timeS: 4, tickCumulative: -11n, secondsPerLiquidityCumulativeX128: 11n }
  oracle.index = 1
  oracle.cardinality = 3
  const at = (secondsAgo: number) => observeAt(oracle, { ...idle, timeS: 4 }, secondsAgo)
  expect([4, 3, 2, 1, 0].map((ago) => at(ago).tickCumulative)).toEqual([0n, -2n, -4n, -6n, -11n])
  expect([4, 3, 2, 1, 0].map((ago) => at(ago).secondsPerLiquidityCumulativeX128)).toEqual([
    0n,
    2n,
    5n,
    8n,
    11n,
  ])
})

test('wraps the sum of ticks at 56 bits and the seconds per liquidity at 160, and their differences back', () => {
  const oracle = createOracle(0)
  growOracle(oracle, 2)
  oracle.observations[0] = {
    timeS: 0,
    tickCumulative: (1n << 55n) - 5n,
    secondsPerLiquidityCumulativeX128: (1n << 160n) - (2n << 128n),
  }
  writeObservation(oracle, { timeS: 10, tick: 3, liquidity: 1n })
  expect(oracle.observations[1]).toEqual({
    timeS: 10,
    tickCumulative: -(1n << 55n) + 25n,
    secondsPerLiquidityCumulativeX128: 8n << 128n,
  })
  expect(observeAt(oracle, { ...idle, timeS: 10 }, 9)).toEqual({
    tickCumulative: (1n << 55n) - 2n,
    secondsPerLiquidityCumulativeX128: (1n << 160n) - (1n << 128n),
  })
})

const moves = fc.array(
  fc.record({
    seconds: fc.integer({ min: 0, max: 40 }),
    tick: fc.integer({ min: -887_272, max: 887_272 }),
    liquidity: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: (1n << 128n) - 1n })),
    slots: fc.integer({ min: 0, max: 12 }),
  }),
  { minLength: 1, maxLength: 30 },
)

test('observes every second like an unbounded list, or throws OLD', () => {
  const seen = { wrapped: 0, old: 0, answered: 0 }
  fc.assert(
    fc.property(fc.constantFrom(1_000_000, 2 ** 32 - 100), moves, (startS, steps) => {
      const oracle = createOracle(startS)
      const list: Observation[] = [
        { timeS: startS, tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n },
      ]
      let timeS = startS
      for (const { seconds, tick, liquidity, slots } of steps) {
        timeS += seconds
        writeObservation(oracle, { timeS, tick, liquidity })
        if (seconds > 0) list.push(after(list.at(-1) ?? expect.fail(), timeS, tick, liquidity))
        growOracle(oracle, slots)
      }
      const present = { timeS: timeS + 3, tick: -5, liquidity: 9n }
      const kept = list.slice(-oracle.observations.length)
      kept.push(after(kept.at(-1) ?? expect.fail(), present.timeS, present.tick, present.liquidity))
      for (let ago = 0; present.timeS - ago >= startS; ago++) {
        const expected = lookUp(kept, present.timeS - ago)
        if (expected) expect(observeAt(oracle, present, ago)).toEqual(expected)
        else expect(() => observeAt(oracle, present, ago)).toThrow('OLD: ')
        seen[expected ? 'answered' : 'old']++
      }
      if (startS < 2 ** 32 && timeS >= 2 ** 32) seen.wrapped++
    }),
    { seed: 1, numRuns: 300 },
  )
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50)
})

function after(last: Observation, timeS: number, tick: number, liquidity: bigint): Observation {
  const seconds = BigInt(timeS - last.timeS)
  return {
    timeS,
    tickCumulative: last.tickCumulative + BigInt(tick) * seconds,
    secondsPerLiquidityCumulativeX128:
      last.secondsPerLiquidityCumulativeX128 + (seconds * 2n ** 128n) / (liquidity > 0n ? liquidity : 1n),
  }
}

function lookUp(list: readonly Observation[], timeS: number) {
  const next = list.findIndex((observation) => observation.timeS >= timeS)
  const to = list[next]
  const from = to?.timeS === timeS ? to : list[next - 1]
  if (!from || !to) return undefined
  const seconds = BigInt(timeS - from.timeS)
  const span = BigInt(to.timeS - from.timeS) || 1n
  return {
    tickCumulative: from.tickCumulative + ((to.tickCumulative - from.tickCumulative) / span) * seconds,
    secondsPerLiquidityCumulativeX128:
      from.secondsPerLiquidityCumulativeX128 +
      ((to.secondsPerLiquidityCumulativeX128 - from.secondsPerLiquidityCumulativeX128) * seconds) / span,
  }
}

const lp = { owner: 'lp', tickLower: -600, tickUpper: 600 }
const newPool = () => createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96, timeS: 1000 })

function moveTo(pool: ReturnType<typeof newPool>, tick: number, timeS?: number): void {
  const sqrtPriceLimitX96 = sqrtPriceX96AtTick(tick)
  const zeroForOne = sqrtPriceLimitX96 < pool.sqrtPriceX96
  applySwap(pool, computeSwap(pool, { zeroForOne, amountSpecified: 10n ** 40n, sqrtPriceLimitX96 }), timeS)
}

test('observes several moments in one call', () => {
  const pool = newPool()
  increaseObservationCardinality(pool, 10)
  mint(pool, lp, 1n << 60n, 1000)
  moveTo(pool, 500, 1010)
  moveTo(pool, -500, 1030)
  expect(observe(pool, [40, 30, 20, 10, 0], 1040)).toEqual([
    { tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n },
    { tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 10n << 68n },
    { tickCumulative: 5000n, secondsPerLiquidityCumulativeX128: 20n << 68n },
    { tickCumulative: 10_000n, secondsPerLiquidityCumulativeX128: 30n << 68n },
    { tickCumulative: 5000n, secondsPerLiquidityCumulativeX128: 40n << 68n },
  ])
  expect(() => observe(pool, [0, 41], 1040)).toThrow(
    'OLD: the moment is older than the oldest oracle observation',
  )
})

test('an observation is written before the tick or the liquidity in range changes, and only then', () => {
  const pool = newPool()
  increaseObservationCardinality(pool, 10)
  const away = { owner: 'lp', tickLower: 1200, tickUpper: 1800 }
  mint(pool, lp, 1000n, 1001)
  mint(pool, away, 1000n, 1002)
  burn(pool, lp, 0n, 1003)
  burn(pool, lp, 500n, 1004)
  applySwap(pool, computeSwap(pool, { zeroForOne: false, amountSpecified: 1n }), 1005)
  moveTo(pool, 100, 1006)
  expect(pool.oracle.observations.map(({ timeS }) => timeS)).toEqual([1000, 1001, 1004, 1006])
})

test('without a time nothing is written', () => {
  const pool = newPool()
  mint(pool, lp, 1000n)
  moveTo(pool, 100)
  expect(pool.oracle).toEqual(newPool().oracle)
})

test.each([
  ['below', -700],
  ['inside', 0],
  ['above', 700],
])('returns the seconds inside a range from %s it', (_, last) => {
  const pool = newPool()
  mint(pool, lp, 1n << 60n, 1000)
  moveTo(pool, 700, 1010)
  moveTo(pool, 300, 1030)
  moveTo(pool, -700, 1060)
  moveTo(pool, last === -700 ? -701 : last, 1100)
  const secondsInside = 10 + 30 + (last === 0 ? 7 : 0)
  expect(snapshotCumulativesInside(pool, lp, 1107)).toEqual({
    secondsInside,
    tickCumulativeInside: 300n * 30n,
    secondsPerLiquidityInsideX128: BigInt(secondsInside) << 68n,
  })
})

test.each([
  ['uninitialized', { tickLower: -600, tickUpper: 660 }],
  ['uninitialized', { tickLower: -660, tickUpper: 600 }],
  ['TLU', { tickLower: 600, tickUpper: 600 }],
  ['TLM', { tickLower: -887_280, tickUpper: 600 }],
  ['TUM', { tickLower: -600, tickUpper: 887_280 }],
])('rejects a range: %s', (code, range) => {
  const pool = newPool()
  mint(pool, lp, 1000n)
  expect(() => snapshotCumulativesInside(pool, range)).toThrow(expect.objectContaining({ code }))
})
