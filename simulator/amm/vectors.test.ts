import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AmmError } from './amm-error.ts'
import { createPool, type Pool } from './pool.ts'
import { mint } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { sqrtPriceX96AtTick, tickAtSqrtPriceX96 } from './tick-math.ts'

/** Vectors of v3-core, stored next to the repository; BREAKWATER_VECTORS overrides their folder. */
const folder = process.env.BREAKWATER_VECTORS ?? resolve(import.meta.dirname, '../../../shared/vectors')
const missing = !existsSync(folder)
if (missing) {
  console.warn(
    `NOT CHECKED: the vectors of v3-core are not at ${folder}; set BREAKWATER_VECTORS to their folder`,
  )
}

const figure = z.string().transform(BigInt)
const before = { balance0Before: figure, balance1Before: figure, tickBefore: z.int() }
const swapCase = z.strictObject({
  name: z.string(),
  zeroForOne: z.boolean(),
  amountSpecified: figure,
  sqrtPriceLimitX96: figure,
  expect: z.union([
    z.strictObject({ ...before, reverts: z.string() }),
    z.strictObject({
      ...before,
      amount0Delta: figure,
      amount1Delta: figure,
      feeGrowthGlobal0X128: figure,
      feeGrowthGlobal1X128: figure,
      tickAfter: z.int(),
    }),
  ]),
})
const swapFile = z.object({
  cases: z.array(
    z.strictObject({
      pool: z.string(),
      feePips: z.int(),
      tickSpacing: z.int(),
      startSqrtPriceX96: figure,
      positions: z.array(z.strictObject({ tickLower: z.int(), tickUpper: z.int(), liquidity: figure })),
      swaps: z.array(swapCase),
    }),
  ),
})
const tickFile = z.object({
  cases: z.array(
    z.strictObject({ sqrtPriceX96: figure, tick: z.int().optional(), tickAt: z.int().optional() }),
  ),
})

const read = <Schema extends z.ZodType>(schema: Schema, name: string): z.infer<Schema> =>
  schema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))

const swapCases = missing
  ? []
  : read(swapFile, 'v3-swaps.json').cases.flatMap((pool) =>
      pool.swaps.map((swap) => ({ title: `${pool.pool}: ${swap.name}`, pool, swap })),
    )
const tickCases = missing ? [] : read(tickFile, 'tick-math.json').cases

describe('the vectors of v3-core', () => {
  test.skipIf(missing)('are there: 128 swaps, 41 prices', () => {
    expect([swapCases.length, tickCases.length]).toEqual([128, 41])
  })

  test.skipIf(missing).each(swapCases)('match for $title', ({ pool: setup, swap }) => {
    const pool = createPool({ ...setup, sqrtPriceX96: setup.startSqrtPriceX96 })
    const minted = setup.positions.map((position) =>
      mint(pool, { owner: 'lp', ...position }, position.liquidity),
    )
    const observedBefore = {
      balance0Before: minted.reduce((sum, { amount0 }) => sum + amount0, 0n),
      balance1Before: minted.reduce((sum, { amount1 }) => sum + amount1, 0n),
      tickBefore: pool.tick,
    }
    expect({ ...observedBefore, ...swapOutcome(pool, swap) }).toEqual(swap.expect)
  })

  test.skipIf(missing).each(tickCases)(
    'match for the price $sqrtPriceX96',
    ({ sqrtPriceX96, tick, tickAt }) => {
      if (tick !== undefined) expect(sqrtPriceX96AtTick(tick)).toBe(sqrtPriceX96)
      if (tickAt !== undefined) expect(tickAtSqrtPriceX96(sqrtPriceX96)).toBe(tickAt)
      expect(tick ?? tickAt).toBeDefined()
    },
  )
})

function swapOutcome(pool: Pool, options: z.infer<typeof swapCase>): object {
  try {
    const swap = computeSwap(pool, options)
    applySwap(pool, swap)
    return {
      amount0Delta: swap.amount0,
      amount1Delta: swap.amount1,
      feeGrowthGlobal0X128: pool.feeGrowthGlobal0X128,
      feeGrowthGlobal1X128: pool.feeGrowthGlobal1X128,
      tickAfter: pool.tick,
    }
  } catch (error) {
    if (error instanceof AmmError) return { reverts: error.code }
    throw error
  }
}
