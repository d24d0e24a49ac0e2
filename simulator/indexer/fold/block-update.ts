import { candleView, openMinute } from '../candles.ts'
import { type TradeRecord, tradeView } from '../history/trades.ts'
import type { IndexedPool, IndexState } from '../index-state.ts'
import { poolView } from '../pools/pool-figures.ts'
import type { BalanceChangeView } from '../views/trade-views.ts'
import type { BlockUpdate, ConfigChangeView, ConfigKeyChange } from '../views/views.ts'

export type BlockChanges = {
  launched: IndexedPool[]
  /** Pools whose price, liquidity or balances changed. */
  moved: Set<IndexedPool>
  traded: Set<IndexedPool>
  trades: { pool: IndexedPool; trade: TradeRecord }[]
  balanceChanges: BalanceChangeView[]
  configChanges: ConfigKeyChange[]
}

/** State at the block, whenever it is read. Prices become text on demand, since most blocks are never read. */
export function blockUpdate(state: IndexState, changed: BlockChanges): BlockUpdate {
  const { trades, balanceChanges } = changed
  const candles = [...changed.traded].map((pool) => ({ pool, candle: openMinute(pool) }))
  return {
    block: state.head,
    launches: changed.launched.map((pool) => poolView(state, pool)),
    poolStats: [...changed.moved].map((pool) => poolView(state, pool)),
    balanceChanges,
    config: configChange(state, changed.configChanges),
    reorged: 0,
    get trades() {
      return trades.map(({ pool, trade }) => tradeView(pool, trade))
    },
    get candles() {
      return candles.map(({ pool, candle }) => candleView(pool, '1m', candle))
    },
  }
}

/** One announcement per block, with its last revision. */
function configChange(state: IndexState, changes: readonly ConfigKeyChange[]): ConfigChangeView | null {
  if (changes.length === 0) return null
  return { revision: state.protocol.revision, observedBlock: state.head.height, changes }
}
