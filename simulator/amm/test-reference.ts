/**
 * A slow and simple reference pool for tests: no ticks, outside values or ring; a list of positions, each of which sums its own
 * fees and seconds in range, in integers that never wrap. Sums liquidity at every step and finds the next tick by walking. Shares
 * only the price of a tick with the real pool; that has its own tests.
 */
import {
  SQRT_PRICE_X96_MAX,
  SQRT_PRICE_X96_MIN,
  sqrtPriceX96AtTick,
  TICK_MAX,
  TICK_MIN,
} from './tick-math.ts'

export type ReferencePosition = {
  owner: string
  tickLower: number
  tickUpper: number
  liquidity: bigint
  /** Fee growth in range that has not become tokens owed. */
  growth: [bigint, bigint]
  owed: [bigint, bigint]
  secondsInside: number
  tickSecondsInside: bigint
  secondsPerLiquidityInsideX128: bigint
}

export type ReferencePool = {
  feePips: bigint
  tickSpacing: number
  sqrtPriceX96: bigint
  tick: number
  growthGlobal: [bigint, bigint]
  feeProtocol: [bigint, bigint]
  protocolFees: [bigint, bigint]
  positions: ReferencePosition[]
  /** One entry per wait, with the tick and liquidity during it. */
  past: { seconds: number; tick: number; liquidity: bigint }[]
}

type Range = { owner: string; tickLower: number; tickUpper: number }

export function referencePool(tier: { feePips: number; tickSpacing: number }, tick: number): ReferencePool {
  return {
    feePips: BigInt(tier.feePips),
    tickSpacing: tier.tickSpacing,
    sqrtPriceX96: sqrtPriceX96AtTick(tick),
    tick,
    growthGlobal: [0n, 0n],
    feeProtocol: [0n, 0n],
    protocolFees: [0n, 0n],
    positions: [],
    past: [],
  }
}

export function referenceLiquidity(pool: ReferencePool): bigint {
  return inRange(pool).reduce((sum, { liquidity }) => sum + liquidity, 0n)
}

/** Adds (or removes) liquidity; returns the amounts paid to (or owed by) the pool. */
export function referenceChange(pool: ReferencePool, range: Range, delta: bigint): [bigint, bigint] {
  const position = pool.positions.find((held) => isSame(held, range)) ?? opened(range)
  if (!pool.positions.includes(position)) pool.positions.push(position)
  for (const side of [0, 1] as const) {
    position.owed[side] += (position.growth[side] * position.liquidity) / Q128
    position.growth[side] = 0n
  }
  position.liquidity += delta
  const lower = sqrtPriceX96AtTick(range.tickLower)
  const upper = sqrtPriceX96AtTick(range.tickUpper)
  const price = pool.sqrtPriceX96
  const within = largest(lower, smallest(price, upper))
  const size = delta > 0n ? delta : -delta
  const divide = delta > 0n ? ceil : floor
  const amounts: [bigint, bigint] = [
    token0Between(within, upper, size, divide),
    token1Between(lower, within, size, divide),
  ]
  if (delta <= 0n) for (const side of [0, 1] as const) position.owed[side] += amounts[side]
  return amounts
}

export function referenceWait(pool: ReferencePool, seconds: number): void {
  const liquidity = referenceLiquidity(pool)
  for (const position of inRange(pool)) {
    position.secondsInside += seconds
    position.tickSecondsInside += BigInt(pool.tick) * BigInt(seconds)
    position.secondsPerLiquidityInsideX128 += (BigInt(seconds) << 128n) / liquidity
  }
  pool.past.push({ seconds, tick: pool.tick, liquidity })
}

export function referenceSwap(
  pool: ReferencePool,
  zeroForOne: boolean,
  amountSpecified: bigint,
  limit = zeroForOne ? SQRT_PRICE_X96_MIN + 1n : SQRT_PRICE_X96_MAX - 1n,
): [bigint, bigint] | 'SPL' {
  if (zeroForOne ? limit >= pool.sqrtPriceX96 : limit <= pool.sqrtPriceX96) return 'SPL'
  const sideIn = zeroForOne ? 0 : 1
  const exactIn = amountSpecified > 0n
  let left = exactIn ? amountSpecified : -amountSpecified
  let paid = 0n
  let received = 0n
  while (left > 0n && pool.sqrtPriceX96 !== limit) {
    const liquidity = referenceLiquidity(pool)
    const boundary = nextBoundary(pool, zeroForOne)
    const boundaryPrice = sqrtPriceX96AtTick(boundary)
    const target = zeroForOne ? largest(boundaryPrice, limit) : smallest(boundaryPrice, limit)
    const step = exactIn
      ? stepIn(pool, target, liquidity, left, zeroForOne)
      : stepOut(pool, target, liquidity, left, zeroForOne)
    left -= exactIn ? step.input + step.fee : step.output
    paid += step.input + step.fee
    received += step.output
    const denominator = pool.feeProtocol[sideIn]
    const protocol = denominator > 0n ? step.fee / denominator : 0n
    pool.protocolFees[sideIn] += protocol
    if (liquidity > 0n) {
      const growth = ((step.fee - protocol) * Q128) / liquidity
      pool.growthGlobal[sideIn] += growth
      for (const position of inRange(pool)) position.growth[sideIn] += growth
    }
    const moved = step.price !== pool.sqrtPriceX96
    pool.sqrtPriceX96 = step.price
    if (step.price === boundaryPrice) pool.tick = zeroForOne ? boundary - 1 : boundary
    else if (moved) pool.tick = tickAt(step.price)
  }
  return zeroForOne ? [paid, -received] : [-received, paid]
}

const Q96 = 2n ** 96n
const Q128 = 2n ** 128n
const WHOLE = 1_000_000n

type Division = (numerator: bigint, denominator: bigint) => bigint
const floor: Division = (numerator, denominator) => numerator / denominator
const ceil: Division = (numerator, denominator) => (numerator + denominator - 1n) / denominator
const smallest = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b)

type Step = { price: bigint; input: bigint; output: bigint; fee: bigint }

function stepIn(
  { sqrtPriceX96: from, feePips }: ReferencePool,
  target: bigint,
  liquidity: bigint,
  left: bigint,
  zeroForOne: boolean,
): Step {
  const afterFee = (left * (WHOLE - feePips)) / WHOLE
  const toTarget = inputFor(from, target, liquidity, zeroForOne)
  const price =
    afterFee >= toTarget
      ? target
      : zeroForOne
        ? ceil(liquidity * Q96 * from, liquidity * Q96 + afterFee * from)
        : from + floor(afterFee * Q96, liquidity)
  const input = inputFor(from, price, liquidity, zeroForOne)
  const fee = price === target ? ceil(input * feePips, WHOLE - feePips) : left - input
  return { price, input, output: outputFor(from, price, liquidity, zeroForOne), fee }
}

function stepOut(
  { sqrtPriceX96: from, feePips }: ReferencePool,
  target: bigint,
  liquidity: bigint,
  left: bigint,
  zeroForOne: boolean,
): Step {
  const toTarget = outputFor(from, target, liquidity, zeroForOne)
  const price =
    left >= toTarget
      ? target
      : zeroForOne
        ? from - ceil(left * Q96, liquidity)
        : ceil(liquidity * Q96 * from, liquidity * Q96 - left * from)
  const input = inputFor(from, price, liquidity, zeroForOne)
  const output = smallest(left, outputFor(from, price, liquidity, zeroForOne))
  return { price, input, output, fee: ceil(input * feePips, WHOLE - feePips) }
}

function inputFor(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? token0Between(to, from, liquidity, ceil) : token1Between(from, to, liquidity, ceil)
}

function outputFor(from: bigint, to: bigint, liquidity: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? token1Between(to, from, liquidity, floor) : token0Between(from, to, liquidity, floor)
}

function token0Between(low: bigint, high: bigint, liquidity: bigint, divide: Division): bigint {
  return divide(divide(liquidity * Q96 * (high - low), high), low)
}

function token1Between(low: bigint, high: bigint, liquidity: bigint, divide: Division): bigint {
  return divide(liquidity * (high - low), Q96)
}

/** Walks spacing by spacing to a tick where liquidity changes, the end of a word of 256 spacings, or the last tick. */
function nextBoundary({ positions, tick, tickSpacing }: ReferencePool, zeroForOne: boolean): number {
  const ends = new Set(
    positions
      .filter(({ liquidity }) => liquidity > 0n)
      .flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper]),
  )
  let spacing = Math.floor(tick / tickSpacing) + (zeroForOne ? 0 : 1)
  const isLast = () => ((spacing % 256) + 256) % 256 === (zeroForOne ? 0 : 255)
  while (!ends.has(spacing * tickSpacing) && !isLast()) spacing += zeroForOne ? -1 : 1
  return Math.max(TICK_MIN, Math.min(TICK_MAX, spacing * tickSpacing))
}

function tickAt(sqrtPriceX96: bigint): number {
  let low = TICK_MIN
  let high = TICK_MAX
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (sqrtPriceX96AtTick(middle) <= sqrtPriceX96) low = middle
    else high = middle
  }
  return low
}

function inRange({ positions, tick }: ReferencePool): ReferencePosition[] {
  return positions.filter(
    ({ liquidity, tickLower, tickUpper }) => liquidity > 0n && tickLower <= tick && tick < tickUpper,
  )
}

function isSame(held: Range, range: Range): boolean {
  return (
    held.owner === range.owner && held.tickLower === range.tickLower && held.tickUpper === range.tickUpper
  )
}

function opened({ owner, tickLower, tickUpper }: Range): ReferencePosition {
  return {
    owner,
    tickLower,
    tickUpper,
    liquidity: 0n,
    growth: [0n, 0n],
    owed: [0n, 0n],
    secondsInside: 0,
    tickSecondsInside: 0n,
    secondsPerLiquidityInsideX128: 0n,
  }
}
