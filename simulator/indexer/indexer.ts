/**
 * The indexer: folds blocks into the views that the exchange reads (views.ts). It sees blocks and their events, never
 * the chain's state, so that it may lag behind the chain. Its views do not change between two blocks.
 */
import type { Block } from '../chain/block.ts'
import { undoBlock } from '../undo-log.ts'
import { pageCandles } from './candles.ts'
import { copyState, immutableRows } from './copy-state.ts'
import { createExplore } from './explore/explore.ts'
import { createExploreMarket } from './explore/explore-market.ts'
import { foldBlock } from './fold/fold-block.ts'
import { listFaucetRecords } from './history/faucet-records.ts'
import { pageSwaps } from './history/swaps.ts'
import { pageTrades } from './history/trades.ts'
import { emptyIndex, type IndexedPool, type IndexState, indexedToken } from './index-state.ts'
import { liquidityDistribution } from './pools/order-book.ts'
import { poolStats, poolView } from './pools/pool-figures.ts'
import { oracleView } from './pools/pool-oracle.ts'
import { getUnclaimed, ownPosition, pagePositions } from './pools/positions.ts'
import { createPricing } from './pools/valuation.ts'
import { findRoute } from './routing/router.ts'
import type { BlockUpdate, Views } from './views/views.ts'

export type Indexer = {
  views: Views
  /** Read-only state for checkers. */
  state: IndexState
  /** Indexes the next block; blocks come in order, each once. */
  index(block: Block): BlockUpdate
  /** Reverts the last block; throws RangeError if the journal no longer has it (REORG_DEPTH_MAX). */
  undo(): void
}

export function createIndexer(options: { stableTokenId: string }): Indexer {
  return indexInto(emptyIndex(options.stableTokenId))
}

/** An independent copy of an indexer. */
export function copyIndexer({ state }: { state: IndexState }): Indexer {
  return indexInto(copyState(state, immutableRows(state)))
}

function indexInto(state: IndexState): Indexer {
  let undone = 0
  return {
    views: createViews(state, () => undone),
    state,
    index: (block) => foldBlock(state, block),
    undo() {
      undone++
      undoBlock(state.journal)
    },
  }
}

/** `undone` counts the blocks reverted so far. */
function createViews(state: IndexState, undone: () => number): Views {
  const pricing = createPricing(state)
  const valuation = () => pricing().prices
  const { rankedPools, ...explore } = createExplore(state, { valuation, undone })
  const known = <Row>(key: string, read: (pool: IndexedPool) => Row): Row | undefined => {
    const pool = state.pools.get(key)
    return pool && read(pool)
  }
  return {
    head: () => state.head,
    tokens: () => [...state.tokens.values()],
    token: (id) => state.tokens.get(id),
    pools({ limit, offset }) {
      const pools = [...state.pools.values()].slice(offset, offset + limit)
      return { rows: pools.map((pool) => poolView(state, pool)), total: state.pools.size }
    },
    pool: (key) => known(key, (pool) => poolView(state, pool)),
    ...explore,
    ...createExploreMarket(state, { pricing, rankedPools }),
    swaps: (query) => pageSwaps(state, query),
    protocolState: () => ({ ...state.protocol, block: state.head.height }),
    route: (query) => findRoute(state, query),
    positions: (query) => pagePositions(state, query),
    position: (query) => ownPosition(state, query),
    unclaimed: (query) => getUnclaimed(state, query),
    feeTiers: () => state.protocol.feeTiers.map((tier) => ({ id: `tier-${tier.feePips}`, ...tier })),
    balances: (address) =>
      [...(state.balances.get(address) ?? [])].map(([id, balance]) => ({
        token: indexedToken(state, id),
        balance,
      })),
    trades: (query) => pageTrades(state, query),
    poolStats: (key) => known(key, (pool) => poolStats(state, pool, valuation())),
    liquidityDistribution: (key) => known(key, liquidityDistribution),
    oracle: ({ pool: key, secondsAgos }) =>
      known(key, (pool) => oracleView(pool, secondsAgos, state.head.timeMs)),
    candles: (query) => pageCandles(state.pools.get(query.pool), query),
    compliance: () => ({
      paused: state.protocol.paused,
      pausedPairs: [...state.pausedPairs],
      disabledPools: [...state.disabledPools],
      poolCreation: state.protocol.poolCreation,
      allowlistEnabled: state.protocol.allowlistEnabled,
      allowedTokens: [...state.allowlist.tokens],
      allowedPairs: [...state.allowlist.pairs],
    }),
    faucetRecords: (address) => listFaucetRecords(state, address),
  }
}
