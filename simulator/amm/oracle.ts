import { AmmError } from './amm-error.ts'
import type { Pool } from './pool.ts'
import type { TickState } from './tick.ts'
import { requireTicks } from './tick-math.ts'

/** Accumulators (whitepaper 5.1 to 5.3). Only differences matter: ticks wrap at 56 bits, seconds per liquidity at 160. */
export type Cumulatives = { tickCumulative: bigint; secondsPerLiquidityCumulativeX128: bigint }

export type Observation = Cumulatives & { timeS: number }

/** Ring of observations (library Oracle). Slots beyond the list's end exist but have never been written. */
export type Oracle = {
  observations: Observation[]
  index: number
  /** Number of slots in use, and the number once the last of them is written. */
  cardinality: number
  cardinalityNext: number
}

/** Values since the latest observation, and the current time. */
export type Present = { timeS: number; tick: number; liquidity: bigint }

const CARDINALITY_MAX = 65_535

/** One slot with a zero observation (Oracle.initialize). */
export function createOracle(timeS: number): Oracle {
  const first = { timeS: timeS >>> 0, tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n }
  return { observations: [first], index: 0, cardinality: 1, cardinalityNext: 1 }
}

/** Writes at most one observation per second, to the slot after the latest (Oracle.write). */
export function writeObservation(oracle: Oracle, present: Present): void {
  const last = latestObservation(oracle)
  if (last.timeS === present.timeS >>> 0) return
  if (oracle.index === oracle.cardinality - 1) oracle.cardinality = oracle.cardinalityNext
  oracle.index = (oracle.index + 1) % oracle.cardinality
  oracle.observations[oracle.index] = transform(last, present)
}

/** Reserves slots; never releases them (Oracle.grow). Throws AmmError overflow. */
export function growOracle(oracle: Oracle, cardinalityNext: number): void {
  if (!Number.isInteger(cardinalityNext) || cardinalityNext < 0 || cardinalityNext > CARDINALITY_MAX)
    throw new AmmError('overflow')
  oracle.cardinalityNext = Math.max(oracle.cardinalityNext, cardinalityNext)
}

/**
 * Returns the cumulatives of `secondsAgo`: extrapolated after the latest observation, interpolated linearly between two
 * (Oracle.observeSingle). Throws AmmError OLD for a moment before the oldest.
 */
export function observeAt(oracle: Oracle, present: Present, secondsAgo: number): Cumulatives {
  const { tickCumulative, secondsPerLiquidityCumulativeX128 } = observationAgo(oracle, present, secondsAgo)
  return { tickCumulative, secondsPerLiquidityCumulativeX128 }
}

export function observedTimeS(oracle: Oracle): number {
  return latestObservation(oracle).timeS
}

function observationAgo(oracle: Oracle, present: Present, secondsAgo: number): Cumulatives {
  const nowS = present.timeS >>> 0
  const targetS = (nowS - secondsAgo) >>> 0
  const last = latestObservation(oracle)
  if (isAtOrBefore(nowS, last.timeS, targetS)) return transform(last, { ...present, timeS: targetS })
  const oldest = oldestIndex(oracle)
  if (!isAtOrBefore(nowS, observationAt(oracle, oldest).timeS, targetS)) throw new AmmError('OLD')
  return interpolate(...surrounding(oracle, { oldest, nowS, targetS }), targetS)
}

function latestObservation(oracle: Oracle): Observation {
  return observationAt(oracle, oracle.index)
}

function observationAt(oracle: Oracle, index: number): Observation {
  const observation = oracle.observations[index]
  if (!observation) throw new RangeError(`no observation has been written at ${index}`)
  return observation
}

/** Whitepaper (5.3) and 6.3: adds the tick, and the inverse of liquidity (at least 1), for every second since. */
function transform(last: Observation, { timeS, tick, liquidity }: Present): Observation {
  const elapsedS = (timeS - last.timeS) >>> 0
  if (elapsedS === 0) return last
  const perLiquidityX128 = (BigInt(elapsedS) << 128n) / (liquidity > 0n ? liquidity : 1n)
  return {
    timeS: timeS >>> 0,
    tickCumulative: wrapTickCumulative(last.tickCumulative + BigInt(tick) * BigInt(elapsedS)),
    secondsPerLiquidityCumulativeX128: wrapSecondsPerLiquidity(
      last.secondsPerLiquidityCumulativeX128 + perLiquidityX128,
    ),
  }
}

/** int56, wraps as in the contract. */
export function wrapTickCumulative(value: bigint): bigint {
  return BigInt.asIntN(56, value)
}

/** uint160, wraps as in the contract. */
export function wrapSecondsPerLiquidity(value: bigint): bigint {
  return BigInt.asUintN(160, value)
}

/** Compares moments at or before now: one that reads later precedes the wraparound of the clock (Oracle.lte). */
function isAtOrBefore(nowS: number, leftS: number, rightS: number): boolean {
  const ageS = (momentS: number) => (nowS - momentS) >>> 0
  return ageS(leftS) >= ageS(rightS)
}

/** The slot after the latest, or the first if the ring has not wrapped yet. */
function oldestIndex({ observations, index, cardinality }: Oracle): number {
  const next = (index + 1) % cardinality
  return next < observations.length ? next : 0
}

/** Returns the last observation at or before the moment, and the next one (Oracle.binarySearch). */
function surrounding(
  oracle: Oracle,
  { oldest, nowS, targetS }: { oldest: number; nowS: number; targetS: number },
): [Observation, Observation] {
  const count = oracle.observations.length
  const at = (age: number) => observationAt(oracle, (oldest + age) % count)
  let low = 0
  let high = count - 1
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isAtOrBefore(nowS, at(middle).timeS, targetS)) low = middle
    else high = middle
  }
  return [at(low), at(high)]
}

/** Truncates the tick's share before multiplying and the seconds' share after, as in the contract. */
function interpolate(before: Observation, after: Observation, targetS: number): Cumulatives {
  const spanS = BigInt((after.timeS - before.timeS) >>> 0)
  const elapsedS = BigInt((targetS - before.timeS) >>> 0)
  if (elapsedS === 0n) return before
  const ticks = wrapTickCumulative(after.tickCumulative - before.tickCumulative)
  const secondsX128 = wrapSecondsPerLiquidity(
    after.secondsPerLiquidityCumulativeX128 - before.secondsPerLiquidityCumulativeX128,
  )
  return {
    tickCumulative: wrapTickCumulative(before.tickCumulative + (ticks / spanS) * elapsedS),
    secondsPerLiquidityCumulativeX128: wrapSecondsPerLiquidity(
      before.secondsPerLiquidityCumulativeX128 + (secondsX128 * elapsedS) / spanS,
    ),
  }
}

/**
 * Returns the cumulatives at each moment, in seconds before `timeS` (UniswapV3Pool.observe). Throws AmmError OLD for a moment
 * before the oldest observation.
 */
export function observe(
  pool: Pool,
  secondsAgo: readonly number[],
  timeS = observedTimeS(pool.oracle),
): readonly Cumulatives[] {
  const present = { timeS, tick: pool.tick, liquidity: pool.liquidity }
  return secondsAgo.map((ago) => observeAt(pool.oracle, present, ago))
}

/** Reserves slots for observations; they are used once the ring wraps (increaseObservationCardinalityNext). */
export function increaseObservationCardinality(pool: Pool, cardinalityNext: number): void {
  growOracle(pool.oracle, cardinalityNext)
}

export type CumulativesInside = {
  tickCumulativeInside: bigint
  secondsPerLiquidityInsideX128: bigint
  secondsInside: number
}

/**
 * Returns the cumulatives while the price was within a range (UniswapV3Pool.snapshotCumulativesInside). Compare two snapshots
 * only if both ticks were initialized throughout. Throws AmmError uninitialized, TLU, TLM, TUM.
 */
export function snapshotCumulativesInside(
  pool: Pool,
  range: { tickLower: number; tickUpper: number },
  timeS = observedTimeS(pool.oracle),
): CumulativesInside {
  requireTicks(range)
  const lower = pool.ticks.byTick.get(range.tickLower)
  const upper = pool.ticks.byTick.get(range.tickUpper)
  if (!lower || !upper) throw new AmmError('uninitialized')
  if (pool.tick < range.tickLower) return difference(outside(lower), outside(upper))
  if (pool.tick >= range.tickUpper) return difference(outside(upper), outside(lower))
  const now = observeAt(pool.oracle, { timeS, tick: pool.tick, liquidity: pool.liquidity }, 0)
  const all = {
    tickCumulativeInside: now.tickCumulative,
    secondsPerLiquidityInsideX128: now.secondsPerLiquidityCumulativeX128,
    secondsInside: timeS,
  }
  return difference(difference(all, outside(lower)), outside(upper))
}

function outside(state: TickState): CumulativesInside {
  return {
    tickCumulativeInside: state.tickCumulativeOutside,
    secondsPerLiquidityInsideX128: state.secondsPerLiquidityOutsideX128,
    secondsInside: state.secondsOutside,
  }
}

function difference(from: CumulativesInside, less: CumulativesInside): CumulativesInside {
  return {
    tickCumulativeInside: wrapTickCumulative(from.tickCumulativeInside - less.tickCumulativeInside),
    secondsPerLiquidityInsideX128: wrapSecondsPerLiquidity(
      from.secondsPerLiquidityInsideX128 - less.secondsPerLiquidityInsideX128,
    ),
    secondsInside: (from.secondsInside - less.secondsInside) >>> 0,
  }
}
