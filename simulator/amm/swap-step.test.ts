import { Fraction } from '@uniswap/sdk-core'
import { SwapMath } from '@uniswap/v3-sdk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeSwapStep } from './swap-step.ts'
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

test('the step equals the SDK’s', () => {
  const reached = { target: 0, short: 0, exactIn: 0, exactOut: 0 }
  fc.assert(
    fc.property(steps, (step) => {
      const [next, amountIn, amountOut, feeAmount] = SwapMath.computeSwapStep(
        jsbi(step.sqrtPriceX96),
        jsbi(step.sqrtPriceTargetX96),
        jsbi(step.liquidity),
        jsbi(step.amountRemaining),
        // The fee's type is an enum of the usual tiers; the arithmetic accepts any number.
        Number(step.feePips) as never,
      )
      const computed = computeSwapStep(step)
      expect(Object.values(computed).map(String)).toEqual([next, amountIn, amountOut, feeAmount].map(String))
      reached[computed.sqrtPriceNextX96 === step.sqrtPriceTargetX96 ? 'target' : 'short']++
      reached[step.amountRemaining >= 0n ? 'exactIn' : 'exactOut']++
    }),
    { seed: 1, numRuns: 800 },
  )
  expect(Math.min(...Object.values(reached))).toBeGreaterThan(100)
})
