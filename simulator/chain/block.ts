import {
  byKind,
  canonicalText,
  configChangeText,
  type Encoder,
  flag,
  integer,
  list,
  optional,
  record,
  text,
  tokenText,
} from './canonical-text.ts'
import { sha256Hex } from './identifiers.ts'
import type { RefusedBecause } from './refusal.ts'
import type { ChainEvent, Configuration, FaucetRecord, FeeTier, SwapHop, Transaction } from './transaction.ts'

const feeTierText = record<FeeTier>({
  feePips: integer,
  tickSpacing: integer,
  createdAtMs: integer,
  transaction: text,
})

const configurationText = record<Configuration>({
  revision: integer,
  paused: flag,
  poolCreation: text,
  allowlistEnabled: flag,
  feeTiers: list(feeTierText),
})

const faucetRecordText = record<FaucetRecord>({ id: text, tokenId: text, amount: integer })

const poolAfter = { sqrtPriceX96: integer, tick: integer, liquidity: integer }

const swapHopText = record<SwapHop>({
  pool: text,
  amountIn: integer,
  amountOut: integer,
  zeroForOne: flag,
  amount0: integer,
  amount1: integer,
  ...poolAfter,
  feeGrowthGlobalX128: integer,
  protocolFee: integer,
  crossed: list(record({ tick: integer, feeGrowthGlobalX128: integer })),
})

export const eventText: Encoder<ChainEvent> = byKind<ChainEvent>({
  tokenRegistered: { token: tokenText },
  tokenMinted: { tokenId: text, amount: integer },
  balanceChanged: { address: text, tokenId: text, delta: integer, balance: integer },
  poolCreated: {
    pool: text,
    token0: text,
    token1: text,
    feePips: integer,
    tickSpacing: integer,
    ...poolAfter,
  },
  positionOpened: {
    position: text,
    owner: text,
    pool: text,
    tickLower: integer,
    tickUpper: integer,
    isPrivate: flag,
  },
  liquidityChanged: {
    position: text,
    pool: text,
    liquidityDelta: integer,
    amount0: integer,
    amount1: integer,
    ...poolAfter,
  },
  positionCollected: { position: text, pool: text, amount0: integer, amount1: integer, closed: flag },
  positionFrozen: { position: text, frozenAtMs: optional(integer) },
  swapExecuted: {
    swapId: text,
    user: text,
    recipient: text,
    tokenIn: text,
    tokenOut: text,
    amountIn: integer,
    amountOut: integer,
    isPrivate: flag,
    nonce: text,
    hops: list(swapHopText),
  },
  outputClaimed: { swapId: text, recipient: text, amount: integer, amountRemaining: integer },
  poolEnabled: { pool: text, enabled: flag },
  protocolFeeSet: { pool: text, feeProtocol0: integer, feeProtocol1: integer },
  protocolCollected: { pool: text, recipient: text, amount0: integer, amount1: integer },
  pairPaused: { pair: text, paused: flag },
  tokenListed: { tokenId: text, listed: flag },
  pairListed: { pair: text, listed: flag },
  configChanged: { configuration: configurationText, changes: list(configChangeText) },
  faucetClaimed: { recipient: text, records: list(faucetRecordText) },
})

export type Receipt = {
  id: string
  sender: string
  kind: Transaction['kind']
  /** Why the chain rejected the transaction; null: accepted. Rejected ones have no events. */
  refused: RefusedBecause | null
  events: readonly ChainEvent[]
}

export type Block = {
  height: number
  parentHash: string
  timeMs: number
  receipts: readonly Receipt[]
  hash: string
}

type UnsealedBlock = Omit<Block, 'hash'>

export const NO_HASH = '0'.repeat(64)

const receiptText = record<Receipt>({
  id: text,
  sender: text,
  kind: text,
  refused: optional(text),
  events: list(eventText),
})

/** Hash input of a block: all its fields. */
export const blockText: Encoder<UnsealedBlock> = record<UnsealedBlock>({
  height: integer,
  parentHash: text,
  timeMs: integer,
  receipts: list(receiptText),
})

/** Adds the hash to a block, and chains the event log's hash: sha256 over the previous hash and the block's. */
export function sealBlock(
  block: UnsealedBlock,
  eventLogHash: string,
): { block: Block; eventLogHash: string } {
  const hash = sha256Hex(canonicalText(blockText, block))
  return { block: { ...block, hash }, eventLogHash: sha256Hex(`${eventLogHash}${hash}`) }
}
