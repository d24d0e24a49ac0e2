import type { Block } from '../../chain/block.ts'
import type { ChainEvent } from '../../chain/event.ts'
import { openBlock, setFields } from '../../journal.ts'
import { type BlockChanges, blockUpdate } from '../block-update.ts'
import type { IndexState } from '../index-state.ts'
import type { BlockUpdate } from '../views/views.ts'
import { foldBalance } from './fold-balances.ts'
import { foldPoolCreated, foldPoolEnabled } from './fold-pools.ts'
import {
  foldLiquidity,
  foldPositionCollected,
  foldPositionFrozen,
  foldPositionOpened,
} from './fold-positions.ts'
import { foldProtocolCollected, foldProtocolFeeSet } from './fold-protocol-fees.ts'
import {
  foldConfig,
  foldFaucetClaimed,
  foldPairListed,
  foldPairPaused,
  foldTokenListed,
} from './fold-rules.ts'
import { foldClaim, foldSwap } from './fold-swaps.ts'
import { foldTokenMinted, foldTokenRegistered } from './fold-tokens.ts'

/** Where an event stands, and what its block has changed so far. One for the whole block: it moves on with the receipts. */
export type Folding = {
  height: number
  timeMs: number
  /** As the AMM counts. */
  timeS: number
  transactionId: string
  receiptIndex: number
  changed: BlockChanges
}

/** Takes a block's events into the index; its work is in proportion to them. Blocks come in order, each once. */
export function foldBlock(state: IndexState, block: Block): BlockUpdate {
  const { height, hash, timeMs, receipts } = block
  if (height !== state.head.height + 1) {
    throw new RangeError(`expected block ${state.head.height + 1}, got ${height}`)
  }
  openBlock(state.journal)
  const changed: BlockChanges = {
    launched: [],
    moved: new Set(),
    traded: new Set(),
    trades: [],
    balanceChanges: [],
    configChanges: [],
  }
  const timeS = Math.floor(timeMs / 1000)
  const folding: Folding = { height, timeMs, timeS, transactionId: '', receiptIndex: -1, changed }
  for (const { id, events } of receipts) {
    folding.transactionId = id
    folding.receiptIndex++
    for (const event of events) foldEvent(state, event, folding)
  }
  setFields(state.journal, state, { head: { height, hash, timeMs } })
  return blockUpdate(state, changed)
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
  protocolFeeSet: foldProtocolFeeSet,
  protocolCollected: foldProtocolCollected,
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
