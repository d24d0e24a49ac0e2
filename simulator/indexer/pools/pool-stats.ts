import type { IndexedPool, IndexState } from '../index-state.ts'
import type { MetricWindow } from '../views/explore-views.ts'
import type { PoolStatsView, WindowStatsView } from '../views/pool-views.ts'
import {
  basePrice,
  dollarPriceText,
  dollarText,
  percentText,
  poolDollars,
  poolFigures,
  poolPriceText,
} from './pool-figures.ts'
import { poolView } from './pool-view.ts'
import type { Valuation } from './valuation.ts'
import { windowStartMs } from './window-figures.ts'

/** A pool's figures of every window, as of the last indexed block. */
export function poolStats(state: IndexState, pool: IndexedPool, valuation: Valuation): PoolStatsView {
  const nowMs = state.head.timeMs
  const ofWindow = (window: MetricWindow): WindowStatsView => {
    const { volume0, volume1, volumeUsd, priceChangePct } = poolFigures(pool, { window, valuation, nowMs })
    return {
      startMs: windowStartMs(window, nowMs),
      volume0,
      volume1,
      volumeUsd: dollarText(volumeUsd),
      priceChangePct: percentText(priceChangePct),
    }
  }
  const view = poolView(state, pool)
  return {
    pool: view,
    price: poolPriceText(view),
    priceUsd: dollarPriceText(basePrice(pool, valuation)),
    tvlUsd: dollarText(poolDollars(pool, valuation)),
    windows: { '1h': ofWindow('1h'), '1d': ofWindow('1d'), '1w': ofWindow('1w'), '1m': ofWindow('1m') },
  }
}
