import type { Block } from '../chain/block.ts'
import type { ChainEvent } from '../chain/event.ts'
import { candleView } from './candle.ts'
import { foldBalance } from './fold-balances.ts'
import { foldPoolCreated, foldPoolEnabled } from './fold-pools.ts'
import {
  foldLiquidity,
  foldPositionCollected,
  foldPositionFrozen,
  foldPositionOpened,
} from './fold-positions.ts'
import {
  foldConfig,
  foldFaucetClaimed,
  foldPairListed,
  foldPairPaused,
  foldTokenListed,
} from './fold-rules.ts'
import { foldClaim, foldSwap } from './fold-swaps.ts'
import { foldTokenMinted, foldTokenRegistered } from './fold-tokens.ts'
import { type IndexState, indexedPool } from './index-state.ts'
import type { BalanceChangeView, BlockUpdate, ConfigChangeView, ConfigKeyChange, TradeView } from './views.ts'

/** Where an event stands, and what its block has changed so far. */
export type Folding = {
  height: number
  timeMs: number
  transactionId: string
  receiptIndex: number
  changed: Changed
}

type Changed = {
  launched: string[]
  /** Pools whose price, liquidity or balances moved, in order of the first move. */
  moved: Set<string>
  trades: TradeView[]
  balanceChanges: BalanceChangeView[]
  configChanges: ConfigKeyChange[]
}

/** Takes a block's events into the index; its work is in proportion to them. Blocks come in order, each once. */
export function foldBlock(state: IndexState, block: Block): BlockUpdate {
  if (block.height !== state.head.height + 1) {
    throw new RangeError(`expected block ${state.head.height + 1}, got ${block.height}`)
  }
  const changed: Changed = {
    launched: [],
    moved: new Set(),
    trades: [],
    balanceChanges: [],
    configChanges: [],
  }
  for (const [receiptIndex, receipt] of block.receipts.entries()) {
    const folding = {
      height: block.height,
      timeMs: block.timeMs,
      transactionId: receipt.id,
      receiptIndex,
      changed,
    }
    for (const event of receipt.events) foldEvent(state, event, folding)
  }
  state.head = { height: block.height, hash: block.hash, timeMs: block.timeMs }
  for (const key of changed.moved) refreshView(state, key)
  return toUpdate(state, changed)
}

type Fold<Kind extends ChainEvent['kind']> = (
  state: IndexState,
  event: Extract<ChainEvent, { kind: Kind }>,
  folding: Folding,
) => void

const FOLDS: { [Kind in ChainEvent['kind']]: Fold<Kind> } = {
  tokenRegistered: foldTokenRegistered,
  tokenMinted: foldTokenMinted,
  balanceChanged: foldBalance,
  poolCreated: foldPoolCreated,
  poolEnabled: foldPoolEnabled,
  positionOpened: foldPositionOpened,
  liquidityChanged: foldLiquidity,
  positionCollected: foldPositionCollected,
  positionFrozen: foldPositionFrozen,
  swapExecuted: foldSwap,
  outputClaimed: foldClaim,
  configChanged: foldConfig,
  pairPaused: foldPairPaused,
  tokenListed: foldTokenListed,
  pairListed: foldPairListed,
  faucetClaimed: foldFaucetClaimed,
}

function foldEvent<Kind extends ChainEvent['kind']>(
  state: IndexState,
  event: Extract<ChainEvent, { kind: Kind }>,
  folding: Folding,
): void {
  // An event extracted by Kind is of that kind; the compiler does not see it through the type parameter.
  FOLDS[event.kind as Kind](state, event, folding)
}

function refreshView(state: IndexState, key: string): void {
  const pool = indexedPool(state, key)
  const { sqrtPriceX96, tick, liquidity } = pool.amm
  pool.view = { ...pool.view, sqrtPriceX96, tick, liquidity }
}

function toUpdate(state: IndexState, changed: Changed): BlockUpdate {
  const traded = [...new Set(changed.trades.filter(({ kind }) => kind === 'swap').map(({ pool }) => pool))]
  return {
    block: state.head,
    launches: changed.launched.map((key) => indexedPool(state, key).view),
    poolStats: [...changed.moved].map((key) => indexedPool(state, key).view),
    trades: changed.trades,
    candles: traded.flatMap((key) => {
      const { view, candle } = indexedPool(state, key)
      return candle ? [candleView(view, candle)] : []
    }),
    balanceChanges: changed.balanceChanges,
    config: toConfigChange(state, changed.configChanges),
    reorged: 0,
  }
}

/** One announcement a block, of its last revision. */
function toConfigChange(state: IndexState, changes: readonly ConfigKeyChange[]): ConfigChangeView | null {
  if (changes.length === 0) return null
  return { revision: state.protocol.revision, observedBlock: state.head.height, changes }
}
