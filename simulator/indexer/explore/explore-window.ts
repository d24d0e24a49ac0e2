import { dollarText, figuresOf, percentText } from '../pools/pool-figures.ts'
import type { Valuation } from '../pools/valuation.ts'
import { type WindowFigures, windowFigures, windowStartMs } from '../pools/window-figures.ts'
import type { ExploreRow, ExploreSort, MetricWindow } from '../views/explore-views.ts'
import type { PoolView } from '../views/market-views.ts'
import { type ExploreSlot, type ExploreSlots, slotPriceUsd, slotTexts } from './explore-slots.ts'

/** What a pool is sorted by: integers of one scale, null where the figure is not known. */
export type Ranks = Readonly<Record<ExploreSort, bigint | null>>

/** A pool with its figures of one window. */
export type RankedPool = {
  slot: ExploreSlot
  volume0Total: bigint
  volume1Total: bigint
  figures: WindowFigures
  view: PoolView
  ranks: Ranks
  /** Made when somebody asks for it. */
  row: ExploreRow | null
}

/** The pools of one window, by age, as of the block that `slots` are of; what has not changed stays the same object. */
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
      const ranks = ranksOf(slot, figures, valuation)
      if (known && known.view === slot.view && isSame(known.ranks, ranks)) known.figures = figures
      else kept[place] = rankedPool(slot, figures, ranks)
    }
    seenIn = refreshes
    seenStartMs = startMs
    return kept
  }
}

/** The same object for as long as it says the same. */
export function rowOf(ranked: RankedPool): ExploreRow {
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

function ranksOf(slot: ExploreSlot, figures: WindowFigures, valuation: Valuation): Ranks {
  const { volumeUsd, priceChangePct } = figuresOf(slot.pool, figures, valuation)
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
