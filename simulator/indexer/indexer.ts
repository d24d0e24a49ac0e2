/**
 * The indexer: folds blocks into the views that the exchange reads (views.ts). It sees blocks and their events, never
 * the chain's state, so that it may lag behind the chain. Its views do not change between two blocks.
 */
import type { Block } from '../chain/block.ts'
import { fieldChanges, undoBlock } from '../undo-log.ts'
import { pageCandles } from './candles.ts'
import { createExplore } from './explore/explore.ts'
import { createExploreMarket } from './explore/explore-market.ts'
import { foldBlock } from './fold/fold-block.ts'
import { listFaucetRecords } from './history/faucet-records.ts'
import type { HistoryLog } from './history/history-log.ts'
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

/**
 * Copies plain data: objects, arrays, maps and sets, in any graph. Unlike structuredClone, the copy shares strings and bigints,
 * which are most of an index, and the objects in `shared`, which must never change. Throws TypeError for other objects.
 */
export function copyState<State>(state: State, shared: Iterable<object> = []): State {
  const copies = new Map<object, object>()
  for (const row of shared) copies.set(row, row)
  return copyValue(state, copies) as State // as: a copy has the type of its original
}

function copyValue(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value
  return copies.get(value) ?? copyObject(value, copies)
}

/** Registers each copy before its contents, which may refer to it. */
function copyObject(original: object, copies: Map<object, object>): object {
  if (original instanceof Map) {
    const copy = new Map<unknown, unknown>()
    copies.set(original, copy)
    for (const [key, value] of original) copy.set(copyValue(key, copies), copyValue(value, copies))
    return copy
  }
  if (original instanceof Set) {
    const copy = new Set<unknown>()
    copies.set(original, copy)
    for (const item of original) copy.add(copyValue(item, copies))
    return copy
  }
  if (Array.isArray(original)) {
    const copy: unknown[] = original.slice()
    copies.set(original, copy)
    for (const [place, item] of original.entries())
      if (typeof item === 'object') copy[place] = copyValue(item, copies)
    return copy
  }
  if (Object.getPrototypeOf(original) !== Object.prototype) throw new TypeError('copyState: not plain data')
  const copy: Record<string, unknown> = { ...original }
  copies.set(original, copy)
  for (const key in copy) {
    const value = copy[key]
    if (typeof value === 'object' && value !== null) copy[key] = copyValue(value, copies)
  }
  return copy
}

/** The objects of an index that are replaced or dropped, but never change: most of them. Replicas share these. */
export function* immutableRows(state: IndexState): Generator<object> {
  yield* [state.head, state.protocol, ...state.tokens.values()]
  yield* rowsOf(state.trades)
  yield* rowsOf(state.faucetRecords)
  for (const { hops } of rowsOf(state.swaps)) yield hops
  for (const { token0, token1, trades, candles } of state.pools.values()) {
    yield* [token0, token1]
    yield* rowsOf(trades)
    for (const closed of candles.closed) yield* rowsOf(closed)
  }
  for (const changes of state.journal.blocks) for (const { before } of fieldChanges(changes)) yield before
}

function* rowsOf<Row>({ chunks }: HistoryLog<Row>): Generator<Row> {
  for (const chunk of chunks) yield* chunk
}
