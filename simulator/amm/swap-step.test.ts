import { Fraction } from '@uniswap/sdk-core'
import { SwapMath } from '@uniswap/v3-sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { INT256_MAX } from './full-math.ts'
import { computeSwapStep, type SwapStepInput } from './swap.ts'
import { sqrtPriceX96AtTick, TICK_MAX, TICK_MIN } from './tick-math.ts'

const jsbi = (value: bigint) => new Fraction(value.toString()).quotient

/** Price pairs both near and far, so that steps end at the target as well as before it. */
const steps = fc
  .record({
    tick: fc.integer({ min: TICK_MIN + 50_000, max: TICK_MAX - 50_000 }),
    distance: fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -50_000, max: 50_000 })),
    liquidity: fc.oneof(
      fc.bigInt({ min: 0n, max: 1_000_000n }),
      fc.bigInt({ min: 1n << 50n, max: 1n << 110n }),
    ),
    amountRemaining: fc.oneof(
      fc.bigInt({ min: -10_000n, max: 10_000n }),
      fc.bigInt({ min: -(1n << 100n), max: 1n << 100n }),
    ),
    feePips: fc.constantFrom(100n, 500n, 3000n, 10_000n, 999_999n),
  })
  .map(({ tick, distance, ...rest }) => ({
    ...rest,
    sqrtPriceX96: sqrtPriceX96AtTick(tick),
    sqrtPriceTargetX96: sqrtPriceX96AtTick(tick + distance),
  }))

function computeBySdk(step: SwapStepInput): string[] {
  return SwapMath.computeSwapStep(
    jsbi(step.sqrtPriceX96),
    jsbi(step.sqrtPriceTargetX96),
    jsbi(step.liquidity),
    jsbi(step.amountRemaining),
    // The fee's type is an enum of the usual tiers; the arithmetic accepts any number.
    Number(step.feePips) as never,
  ).map(String)
}

test('the step equals the SDK’s', () => {
  const reached = { target: 0, short: 0, exactIn: 0, exactOut: 0 }
  fc.assert(
    fc.property(steps, (step) => {
      const computed = computeSwapStep(step)
      expect(Object.values(computed).map(String)).toEqual(computeBySdk(step))
      reached[computed.sqrtPriceNextX96 === step.sqrtPriceTargetX96 ? 'target' : 'short']++
      reached[step.amountRemaining >= 0n ? 'exactIn' : 'exactOut']++
    }),
    { seed: 1, numRuns: 800 },
  )
  expect(Math.min(...Object.values(reached))).toBeGreaterThan(100)
})

test.each([-1n, 0n, 1n])('equals it at the least input that reaches the target, plus %s', (more) => {
  fc.assert(
    fc.property(steps, ({ sqrtPriceX96, sqrtPriceTargetX96, liquidity }) => {
      const prices = { sqrtPriceX96, sqrtPriceTargetX96 }
      const all = computeSwapStep({ ...prices, liquidity, amountRemaining: INT256_MAX, feePips: 0n })
      fc.pre(all.amountIn > 0n)
      const step = { ...prices, liquidity, amountRemaining: all.amountIn + more, feePips: 0n }
      const computed = computeSwapStep(step)
      expect(Object.values(computed).map(String)).toEqual(computeBySdk(step))
    }),
    { seed: 2, numRuns: 200 },
  )
})
