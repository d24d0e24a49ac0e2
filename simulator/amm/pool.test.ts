import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IN_FULL } from '../../tools/test/tree-sample.ts'
import { AmmError } from './amm-error.ts'
import { collect, collectProtocol, setProtocolFee } from './fees.ts'
import { Q96, UINT256_MAX, wrap256 } from './full-math.ts'
import {
  type CumulativesInside,
  increaseObservationCardinality,
  snapshotCumulativesInside,
} from './oracle.ts'
import { createPool, type Pool } from './pool.ts'
import { type Amounts, burn, fullRangeTicks, mint, type PositionRange, positionKey } from './position.ts'
import { applySwap, computeSwap } from './swap.ts'
import { comparePast, expectNear } from './test-compare-past.ts'
import { type Action, actions, tiers } from './test-pool-actions.ts'
import {
  type ReferencePool,
  type ReferencePosition,
  referenceChange,
  referenceLiquidity,
  referencePool,
  referenceSwap,
  referenceWait,
} from './test-reference.ts'
import { SQRT_PRICE_X96_MIN, sqrtPriceX96AtTick, TICK_MAX, TICK_MIN } from './tick-math.ts'

test.each([
  ['tier', { feePips: 1_000_000 }],
  ['tier', { feePips: -1 }],
  ['tier', { tickSpacing: 0 }],
  ['tier', { tickSpacing: 1.5 }],
  ['tier', { tickSpacing: 16_384 }],
  ['R', { sqrtPriceX96: SQRT_PRICE_X96_MIN - 1n }],
] as const)('rejects %s for %o', (code, wrong) => {
  const open = () => createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96, ...wrong })
  expect(open).toThrow(expect.objectContaining({ code }))
})

test('is plain data: a clone continues like the original', () => {
  const pool = createPool({ feePips: 3000, tickSpacing: 60, sqrtPriceX96: Q96, timeS: 5 })
  mint(pool, { owner: 'lp', tickLower: -60, tickUpper: 60 }, 10n ** 20n, 6)
  const clone = structuredClone(pool)
  for (const either of [pool, clone])
    applySwap(either, computeSwap(either, { zeroForOne: true, amountSpecified: 10n ** 30n }), 7)
  expect(clone).toEqual(pool)
  expect(clone.tick).toBe(TICK_MIN)
})

/** Shortly before the seconds wrap, which most runs then cross. */
const START_S = 2 ** 32 - 60_000

type Run = {
  pool: Pool
  reference: ReferencePool
  timeS: number
  balance0: bigint
  balance1: bigint
  atEnd: boolean
  /** Cumulatives inside the range when each position was opened. */
  insideAtStart: Map<ReferencePosition, CumulativesInside>
}

test('agrees with the simple reference after any sequence of actions, and pays all it owes', () => {
  const seen = { swaps: 0, refused: 0, crossings: 0, wraps: 0, inside: 0, kept: 0 }
  fc.assert(
    fc.property(
      fc.constantFrom(...tiers),
      fc.constantFrom(0, -7, 60, 20_000),
      fc.constantFrom(0n, 10n ** 20n),
      fc.array(actions, { minLength: 10, maxLength: 40, size: 'max' }),
      (tier, tick, base, steps) => {
        const run = startRun(tier, tick)
        if (base > 0n) provide(run, { owner: 'base', ...fullRangeTicks(tier.tickSpacing) }, base)
        for (const action of steps) {
          perform(run, action, seen)
          compare(run)
        }
        comparePast(run)
        withdrawAll(run, seen)
        // Each change, step and share rounds by a few units in the pool's favor; at the ends a unit of the price is worth more.
        const dustMax = run.atEnd ? UINT256_MAX : 60n * BigInt(steps.length + 1)
        for (const left of [run.balance0, run.balance1])
          expect(left >= 0n && left <= dustMax, `${left} left`).toBe(true)
        if (!run.atEnd) seen.kept++
      },
    ),
    { seed: 3, numRuns: IN_FULL ? 800 : 200 },
  )
  expect(seen.swaps).toBeGreaterThan(IN_FULL ? 1000 : 250)
  expect(seen.crossings).toBeGreaterThan(IN_FULL ? 1000 : 250)
  for (const count of [seen.refused, seen.wraps, seen.inside, seen.kept])
    expect(count).toBeGreaterThan(IN_FULL ? 50 : 10)
})

function startRun(tier: { feePips: number; tickSpacing: number }, tick: number): Run {
  const pool = createPool({ ...tier, sqrtPriceX96: sqrtPriceX96AtTick(tick), timeS: START_S })
  // Simulates a long history: the counters are about to wrap.
  pool.feeGrowthGlobal0X128 = GROWTH_AT_START
  pool.feeGrowthGlobal1X128 = GROWTH_AT_START
  increaseObservationCardinality(pool, 25)
  return {
    pool,
    reference: referencePool(tier, tick),
    timeS: START_S,
    balance0: 0n,
    balance1: 0n,
    atEnd: false,
    insideAtStart: new Map(),
  }
}

const GROWTH_AT_START = UINT256_MAX - 1000n

type Seen = Record<'swaps' | 'refused' | 'crossings' | 'wraps' | 'inside' | 'kept', number>
type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>

function perform(run: Run, action: Action, seen: Seen): void {
  const performers: { [Kind in Action['kind']]: (run: Run, action: ActionOf<Kind>, seen: Seen) => void } = {
    mint: performMint,
    burn: performBurn,
    collect: performCollect,
    swap: performSwap,
    feeProtocol: performFeeProtocol,
    collectProtocol: performCollectProtocol,
    wait: performWait,
  }
  // The table's types tie each kind to its performer; the compiler cannot follow that through the lookup.
  const performer = performers[action.kind] as (run: Run, action: Action, seen: Seen) => void
  performer(run, action, seen)
}

function performMint(run: Run, { owner, lower, width, liquidity }: ActionOf<'mint'>): void {
  const { tickSpacing } = run.pool
  const tickLower = (Math.floor(run.reference.tick / tickSpacing) + lower) * tickSpacing
  const tickUpper = tickLower + width * tickSpacing
  if (tickLower < TICK_MIN || tickUpper > TICK_MAX) return
  // At the ends of the price range more would exceed 2^128 of a token, the maximum of tokens owed.
  const size = isNearEnd(run.reference) ? liquidity % 10n ** 9n || 1n : liquidity
  provide(run, { owner, tickLower, tickUpper }, size)
}

function provide(run: Run, range: PositionRange, liquidity: bigint): void {
  const paid = mint(run.pool, range, liquidity, run.timeS)
  expect([paid.amount0, paid.amount1]).toEqual(referenceChange(run.reference, range, liquidity))
  take(run, paid)
  const position = run.reference.positions.find((held) => positionKey(held) === positionKey(range))
  if (position?.liquidity === liquidity) openInside(run, position)
}

function performBurn({ pool, reference, timeS }: Run, { which, percent }: ActionOf<'burn'>): void {
  const position = reference.positions[which % reference.positions.length]
  if (!position || position.liquidity === 0n) return
  const size = (position.liquidity * percent) / 100n
  const owed = burn(pool, position, size, timeS)
  expect([owed.amount0, owed.amount1]).toEqual(referenceChange(reference, position, -size))
  const held = pool.positions.get(positionKey(position))
  expect([held?.liquidity, held?.tokensOwed0, held?.tokensOwed1]).toEqual([
    position.liquidity,
    ...position.owed,
  ])
}

function performCollect(run: Run, { which, percent }: ActionOf<'collect'>): void {
  const position = run.reference.positions[which % run.reference.positions.length]
  if (!position) return
  const [owed0, owed1] = position.owed
  const requested = { amount0: (owed0 * percent) / 100n, amount1: (owed1 * percent) / 100n }
  const paid = collect(run.pool, position, requested)
  expect(paid).toEqual(percent > 100n ? { amount0: owed0, amount1: owed1 } : requested)
  position.owed = [owed0 - paid.amount0, owed1 - paid.amount1]
  pay(run, paid)
}

function performFeeProtocol({ pool, reference }: Run, action: ActionOf<'feeProtocol'>): void {
  setProtocolFee(pool, action)
  reference.feeProtocol = [BigInt(action.feeProtocol0), BigInt(action.feeProtocol1)]
}

function performCollectProtocol(run: Run, { percent }: ActionOf<'collectProtocol'>): void {
  const [fees0, fees1] = run.reference.protocolFees
  const paid = collectProtocol(run.pool, {
    amount0: (fees0 * percent) / 100n,
    amount1: (fees1 * percent) / 100n,
  })
  run.reference.protocolFees = [fees0 - paid.amount0, fees1 - paid.amount1]
  pay(run, paid)
}

function performWait(run: Run, { seconds }: ActionOf<'wait'>, seen: Seen): void {
  referenceWait(run.reference, seconds)
  if (run.timeS < 2 ** 32 && run.timeS + seconds >= 2 ** 32) seen.wraps++
  run.timeS += seconds
}

function performSwap(run: Run, { zeroForOne, amountSpecified, limit }: ActionOf<'swap'>, seen: Seen): void {
  const { pool, reference, timeS } = run
  const distance = limit === undefined ? undefined : Math.ceil((limit * pool.tickSpacing) / 100)
  const nearest = Math.floor(reference.tick / pool.tickSpacing) * pool.tickSpacing
  const limitTick = distance === undefined ? undefined : nearest + (zeroForOne ? -distance : distance)
  const inside = limitTick !== undefined && limitTick > TICK_MIN && limitTick < TICK_MAX
  const sqrtPriceLimitX96 = inside ? sqrtPriceX96AtTick(limitTick) : undefined
  const expected = referenceSwap(reference, zeroForOne, amountSpecified, sqrtPriceLimitX96)
  const options = { zeroForOne, amountSpecified, ...(sqrtPriceLimitX96 && { sqrtPriceLimitX96 }) }
  if (expected === 'SPL') {
    expect(() => computeSwap(pool, options)).toThrow(AmmError)
    seen.refused++
    return
  }
  const swap = computeSwap(pool, options)
  applySwap(pool, swap, timeS)
  expect([swap.amount0, swap.amount1]).toEqual(expected)
  take(run, swap)
  run.atEnd ||= isNearEnd(reference)
  seen.swaps++
  seen.crossings += swap.crossed.length
}

function compare({ pool, reference, balance0, balance1 }: Run): void {
  expect({
    sqrtPriceX96: pool.sqrtPriceX96,
    tick: pool.tick,
    liquidity: pool.liquidity,
    growth: [pool.feeGrowthGlobal0X128, pool.feeGrowthGlobal1X128],
    protocolFees: [pool.protocolFees0, pool.protocolFees1],
    solvent: balance0 >= 0n && balance1 >= 0n,
  }).toEqual({
    sqrtPriceX96: reference.sqrtPriceX96,
    tick: reference.tick,
    liquidity: referenceLiquidity(reference),
    growth: reference.growthGlobal.map((growth) => wrap256(GROWTH_AT_START + growth)),
    protocolFees: reference.protocolFees,
    solvent: true,
  })
}

function openInside({ pool, timeS, insideAtStart }: Run, position: ReferencePosition): void {
  position.secondsInside = 0
  position.tickSecondsInside = 0n
  position.secondsPerLiquidityInsideX128 = 0n
  insideAtStart.set(position, snapshotCumulativesInside(pool, position, timeS))
}

function withdrawAll(run: Run, seen: Seen): void {
  const { pool, reference, timeS } = run
  for (const position of reference.positions) {
    if (position.liquidity > 0n) {
      compareInside(run, position, seen)
      const { liquidity } = position
      burn(pool, position, liquidity, timeS)
      referenceChange(reference, position, -liquidity)
    }
    const paid = collect(pool, position)
    expect([paid.amount0, paid.amount1]).toEqual(position.owed)
    pay(run, paid)
  }
  pay(run, collectProtocol(pool))
  expect([pool.liquidity, pool.ticks.ascending, pool.ticks.byTick.size, pool.positions.size]).toEqual([
    0n,
    [],
    0,
    0,
  ])
}

function compareInside({ pool, timeS, insideAtStart }: Run, position: ReferencePosition, seen: Seen): void {
  const start = insideAtStart.get(position)
  if (!start) return
  const now = snapshotCumulativesInside(pool, position, timeS)
  expect((now.secondsInside - start.secondsInside) >>> 0).toBe(position.secondsInside)
  expect(now.tickCumulativeInside - start.tickCumulativeInside).toBe(position.tickSecondsInside)
  expectNear(
    BigInt.asUintN(160, now.secondsPerLiquidityInsideX128 - start.secondsPerLiquidityInsideX128),
    BigInt.asUintN(160, position.secondsPerLiquidityInsideX128),
  )
  if (position.secondsInside > 0) seen.inside++
}

function isNearEnd({ tick }: ReferencePool): boolean {
  return Math.abs(tick) > 400_000
}

function take(run: Run, { amount0, amount1 }: Amounts): void {
  run.balance0 += amount0
  run.balance1 += amount1
}

function pay(run: Run, { amount0, amount1 }: Amounts): void {
  take(run, { amount0: -amount0, amount1: -amount1 })
}
