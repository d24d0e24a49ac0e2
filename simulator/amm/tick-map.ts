/** State of an initialized tick (whitepaper 6.3). */
export type TickState = {
  /** Sum over all positions that start or end here; zero: no longer initialized. */
  liquidityGross: bigint
  /** Added when the price crosses upwards, subtracted when it crosses downwards. */
  liquidityNet: bigint
  /** Fee growth on the tick's other side from the price, since it was initialized. */
  feeGrowthOutside0X128: bigint
  feeGrowthOutside1X128: bigint
  tickCumulativeOutside: bigint
  secondsPerLiquidityOutsideX128: bigint
  secondsOutside: number
}

export type TickMap = { byTick: Map<number, TickState>; ascending: number[] }

export type NextTick = { tick: number; initialized: boolean }

/**
 * Returns the tick at which a swap step ends (TickBitmap.nextInitializedTickWithinOneWord): the next initialized tick, but not
 * beyond the end of the contract's bitmap word of 256 spacings. Each step rounds, so longer steps would give other amounts than
 * the contract. Includes the current tick downwards, not upwards.
 */
export function nextTickWithinWord(
  map: TickMap,
  tick: number,
  tickSpacing: number,
  direction: 'down' | 'up',
): NextTick {
  const compressed = Math.floor(tick / tickSpacing)
  if (direction === 'down') {
    const wordStart = (compressed >> 8) * 256 * tickSpacing
    const found = map.ascending[countUpTo(map.ascending, compressed * tickSpacing) - 1]
    return found !== undefined && found >= wordStart
      ? { tick: found, initialized: true }
      : { tick: wordStart, initialized: false }
  }
  const first = compressed + 1
  const wordEnd = ((first >> 8) * 256 + 255) * tickSpacing
  const found = map.ascending[countUpTo(map.ascending, first * tickSpacing - 1)]
  return found !== undefined && found <= wordEnd
    ? { tick: found, initialized: true }
    : { tick: wordEnd, initialized: false }
}

export function setTick(map: TickMap, tick: number, state: TickState): void {
  if (!map.byTick.has(tick)) map.ascending.splice(countUpTo(map.ascending, tick), 0, tick)
  map.byTick.set(tick, state)
}

export function deleteTick(map: TickMap, tick: number): void {
  if (map.byTick.delete(tick)) map.ascending.splice(countUpTo(map.ascending, tick) - 1, 1)
}

export function countUpTo(ascending: readonly number[], tick: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) <= tick) low = middle + 1
    else high = middle
  }
  return low
}
