/** A pool's past: after each trade the price and all volume so far, so that any window is one difference. */
export type PoolHistory = HistoryPoint[]

export type HistoryPoint = { atMs: number; sqrtPriceX96: bigint; volume0Total: bigint; volume1Total: bigint }

export type WindowFigures = {
  volume0: bigint
  volume1: bigint
  /** The price when the window began, or the opening price of a younger pool; null where nobody traded since. */
  priceBeforeX96: bigint | null
}

export function recordTrade(
  history: PoolHistory,
  trade: { atMs: number; sqrtPriceX96: bigint; volume0: bigint; volume1: bigint },
): void {
  const last = history.at(-1)
  history.push({
    atMs: trade.atMs,
    sqrtPriceX96: trade.sqrtPriceX96,
    volume0Total: (last?.volume0Total ?? 0n) + trade.volume0,
    volume1Total: (last?.volume1Total ?? 0n) + trade.volume1,
  })
}

/** The figures of what happened after `sinceMs`. */
export function windowFigures(history: PoolHistory, sinceMs: number): WindowFigures {
  const last = history.at(-1)
  const before = history[Math.max(0, countUntil(history, sinceMs) - 1)]
  if (!last || !before || last === before) return { volume0: 0n, volume1: 0n, priceBeforeX96: null }
  return {
    volume0: last.volume0Total - before.volume0Total,
    volume1: last.volume1Total - before.volume1Total,
    priceBeforeX96: before.sqrtPriceX96,
  }
}

/** How many points are at `atMs` or before. */
function countUntil(history: PoolHistory, atMs: number): number {
  let low = 0
  let high = history.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((history[middle]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs) low = middle + 1
    else high = middle
  }
  return low
}
