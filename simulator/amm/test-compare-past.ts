/** For tests: compares a pool's oracle with the reference's memory of the past. */
import { expect } from 'vitest'
import { AmmError } from './amm-error.ts'
import { observe } from './oracle.ts'
import type { Pool } from './pool.ts'
import type { ReferencePool } from './test-reference.ts'

/**
 * Between two observations neither tick nor liquidity changes, so interpolation is exact. Seconds per liquidity are truncated at
 * each observation, so they may differ by one unit for each.
 */
export function comparePast({
  pool,
  reference,
  timeS,
}: {
  pool: Pool
  reference: ReferencePool
  timeS: number
}): void {
  const now = observe(pool, [0], timeS)[0] ?? expect.fail()
  let secondsAgo = 0
  let tickSeconds = 0n
  let perLiquidityX128 = 0n
  for (const { seconds, tick, liquidity } of reference.past.toReversed()) {
    secondsAgo += seconds
    tickSeconds += BigInt(tick) * BigInt(seconds)
    perLiquidityX128 += (BigInt(seconds) << 128n) / (liquidity || 1n)
    const then = observeOrUndefined(pool, secondsAgo, timeS)
    if (!then) return
    expect(now.tickCumulative - then.tickCumulative).toBe(tickSeconds)
    const difference = now.secondsPerLiquidityCumulativeX128 - then.secondsPerLiquidityCumulativeX128
    expectNear(BigInt.asUintN(160, difference), BigInt.asUintN(160, perLiquidityX128))
  }
}

function observeOrUndefined(pool: Pool, secondsAgo: number, timeS: number) {
  try {
    return observe(pool, [secondsAgo], timeS)[0]
  } catch (error) {
    // Only a full ring has dropped anything.
    expect(error).toEqual(new AmmError('OLD'))
    expect(pool.oracle.observations.length).toBe(25)
    return undefined
  }
}

/** Within a hundred units, as each truncation may lose one; both wrap at 160 bits. */
export function expectNear(actual: bigint, expected: bigint): void {
  const difference = BigInt.asIntN(160, actual - expected)
  expect(difference < 100n && difference > -100n, `${actual} is not near ${expected}`).toBe(true)
}
