import type { IndexedPool, IndexState } from '../index-state.ts'
import {
  computeFigures,
  dollarPriceText,
  dollarText,
  percentText,
  poolDollars,
  poolPriceText,
  poolView,
  type WindowFigures,
  windowFigures,
  windowStartMs,
} from '../pools/pool-figures.ts'
import type { Valuation } from '../pools/valuation.ts'
import type { ExploreRow, ExploreSort, MetricWindow, PoolView } from '../views/market-views.ts'

/** Sort keys of a pool: integers of one scale, null if unknown. */
export type Ranks = Readonly<Record<ExploreSort, bigint | null>>

export type RankedPool = {
  slot: ExploreSlot
  volume0Total: bigint
  volume1Total: bigint
  figures: WindowFigures
  view: PoolView
  ranks: Ranks
  row: ExploreRow | null
}

/** The pools of one window, by age, at the block of `slots`; unchanged pools keep their object. */
export function createExploreWindow(
  window: MetricWindow,
): (block: { slots: ExploreSlots; timeMs: number; valuation: Valuation }) => readonly RankedPool[] {
  const kept: RankedPool[] = []
  let seenIn = 0
  let seenStartMs = 0

  return ({ slots: { slots, refreshes }, timeMs, valuation }) => {
    const startMs = windowStartMs(window, timeMs)
    const isMoved = startMs !== seenStartMs
    kept.length = Math.min(kept.length, slots.length)
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place] as ExploreSlot // as: within bounds
      const known = kept[place]?.slot === slot ? kept[place] : undefined
      if (known && !isMoved && slot.changedIn <= seenIn) continue
      const figures =
        known && !isMoved && !hasTraded(known) ? known.figures : windowFigures(slot.pool, window, timeMs)
      const ranks = computeRanks(slot, figures, valuation)
      if (known && known.view === slot.view && isSame(known.ranks, ranks)) known.figures = figures
      else kept[place] = rankedPool(slot, figures, ranks)
    }
    seenIn = refreshes
    seenStartMs = startMs
    return kept
  }
}

/** The same object until its content changes. */
export function getRow(ranked: RankedPool): ExploreRow {
  ranked.row ??= {
    pool: ranked.view,
    displayFlipped: ranked.slot.pool.displayFlipped,
    ...slotTexts(ranked.slot),
    priceChangePct: percentText(ranked.ranks.priceChangePct),
    volumeUsd: dollarText(ranked.ranks.volumeUsd),
  }
  return ranked.row
}

function rankedPool(slot: ExploreSlot, figures: WindowFigures, ranks: Ranks): RankedPool {
  const { view, volume0Total, volume1Total } = slot
  return { slot, volume0Total, volume1Total, figures, view, ranks, row: null }
}

function hasTraded({ slot, volume0Total, volume1Total }: RankedPool): boolean {
  return slot.volume0Total !== volume0Total || slot.volume1Total !== volume1Total
}

function computeRanks(slot: ExploreSlot, figures: WindowFigures, valuation: Valuation): Ranks {
  const { volumeUsd, priceChangePct } = computeFigures(slot.pool, figures, valuation)
  return {
    createdAt: BigInt(slot.pool.createdAtMs),
    tvlUsd: slot.tvlUsd,
    volumeUsd,
    priceUsd: slotPriceUsd(slot),
    priceChangePct,
  }
}

function isSame(known: Ranks, ranks: Ranks): boolean {
  return (
    known.tvlUsd === ranks.tvlUsd &&
    known.volumeUsd === ranks.volumeUsd &&
    known.priceUsd === ranks.priceUsd &&
    known.priceChangePct === ranks.priceChangePct
  )
}

/** A pool in explore rows, independent of the window: kept from block to block until something in it changes. */
type ExploreSlot = {
  pool: IndexedPool
  view: PoolView
  price0: bigint | undefined
  price1: bigint | undefined
  volume0Total: bigint
  volume1Total: bigint
  tvlUsd: bigint | null
  /** Created on demand, once for all windows. */
  texts: SlotTexts | null
  /** Refresh of the last change. */
  changedIn: number
}

type SlotTexts = { price: string | null; priceUsd: string | null; tvlUsd: string | null }

export type ExploreSlots = {
  /** By age of the pools. */
  slots: readonly ExploreSlot[]
  /** Number of blocks seen. */
  refreshes: number
}

/**
 * Slots at the last indexed block. Each block compares a few fields of every pool; shown values are recomputed only if
 * one of them differs. `undone` counts the blocks reverted so far: reverted history may come again with other contents
 * but the same sums.
 */
export function createExploreSlots(
  state: IndexState,
  options: { valuation: () => Valuation; undone: () => number },
): () => ExploreSlots {
  const kept: ExploreSlots & { slots: ExploreSlot[] } = { slots: [], refreshes: 0 }
  let seen = { hash: '', undone: 0 }

  return () => {
    const now = { hash: state.head.hash, undone: options.undone() }
    if (seen.hash === now.hash && kept.refreshes > 0) return kept
    if (seen.undone !== now.undone) kept.slots.length = 0
    seen = now
    kept.refreshes++
    kept.slots.length = Math.min(kept.slots.length, state.pools.size)
    const prices = options.valuation()
    let place = 0
    for (const pool of state.pools.values()) {
      const slot = kept.slots[place]
      if (slot?.pool === pool) renew(state, slot, prices, kept.refreshes)
      else kept.slots[place] = newSlot(state, pool, prices, kept.refreshes)
      place++
    }
    return kept
  }
}

/** Price of the token that the pool sells; null if no pools connect it to the stable token. */
function slotPriceUsd({ pool, price0, price1 }: ExploreSlot): bigint | null {
  return (pool.displayFlipped ? price1 : price0) ?? null
}

function slotTexts(slot: ExploreSlot): SlotTexts {
  slot.texts ??= {
    price: poolPriceText(slot.view),
    priceUsd: dollarPriceText(slotPriceUsd(slot)),
    tvlUsd: dollarText(slot.tvlUsd),
  }
  return slot.texts
}

function newSlot(state: IndexState, pool: IndexedPool, prices: Valuation, refresh: number): ExploreSlot {
  return {
    pool,
    view: poolView(state, pool),
    price0: prices.get(pool.token0.id),
    price1: prices.get(pool.token1.id),
    volume0Total: pool.volume0Total,
    volume1Total: pool.volume1Total,
    tvlUsd: poolDollars(pool, prices),
    texts: null,
    changedIn: refresh,
  }
}

function renew(state: IndexState, slot: ExploreSlot, prices: Valuation, refresh: number): void {
  const { pool } = slot
  const [price0, price1] = [prices.get(pool.token0.id), prices.get(pool.token1.id)]
  const isShown = isAsSeen(state, slot)
  if (isShown && slot.price0 === price0 && slot.price1 === price1) return
  if (!isShown) slot.view = poolView(state, pool)
  slot.price0 = price0
  slot.price1 = price1
  slot.volume0Total = pool.volume0Total
  slot.volume1Total = pool.volume1Total
  slot.tvlUsd = poolDollars(pool, prices)
  slot.texts = null
  slot.changedIn = refresh
}

/** Compares the fields that a row shows and those that its figures depend on. */
function isAsSeen(state: IndexState, { pool, view, volume0Total, volume1Total }: ExploreSlot): boolean {
  return (
    pool.balance0 === view.balance0 &&
    pool.balance1 === view.balance1 &&
    pool.amm.sqrtPriceX96 === view.sqrtPriceX96 &&
    pool.amm.tick === view.tick &&
    pool.amm.liquidity === view.liquidity &&
    pool.volume0Total === volume0Total &&
    pool.volume1Total === volume1Total &&
    pool.enabled === view.enabled &&
    state.tokens.get(pool.token0.id) === view.token0 &&
    state.tokens.get(pool.token1.id) === view.token1
  )
}
