import type { Pool as AmmPool } from '../amm/pool.ts'
import { createJournal, type Journal, REORG_DEPTH_MAX } from '../undo-log.ts'
import { NO_HASH } from './block.ts'
import type { ChainEvent, Configuration, FaucetGrants, TokenDraft, Transaction } from './transaction.ts'

export type Token = TokenDraft & { supply: bigint }

export type ChainPool = {
  key: string
  token0: string
  token1: string
  enabled: boolean
  /** What the pool holds, fees and what is owed to positions included. */
  balance0: bigint
  balance1: bigint
  amm: AmmPool
}

/** Liquidity and what is owed stand in the pool, under the position's id as owner. */
export type ChainPosition = {
  id: string
  /** Ascending in order of creation. */
  sequence: number
  owner: string
  pool: string
  tickLower: number
  tickUpper: number
  isPrivate: boolean
  /** Since when only the administrator may touch it; null where it is free. */
  frozenAtMs: number | null
}

/** A swap's output, held by the exchange until its recipient has claimed all of it. */
export type PendingOutput = {
  swapId: string
  recipient: string
  tokenId: string
  amountRemaining: bigint
  height: number
  /** Ascending in order of execution. */
  sequence: number
}

/**
 * All that the chain knows between two blocks: plain data, and nothing else decides what comes next. It changes through
 * its journal alone.
 */
export type ChainState = {
  journal: Journal
  /** -1 before the first block. */
  height: number
  timeMs: number
  hash: string
  eventLogHash: string
  configuration: Configuration
  /** Pairs that do not trade while all else does. */
  pausedPairs: Set<string>
  /** Binding while the configuration enables it: pairs of two listed tokens trade, and pairs listed themselves. */
  allowlist: { tokens: Set<string>; pairs: Set<string> }
  administrator: string
  tokens: Map<string, Token>
  /** In order of creation. */
  pools: Map<string, ChainPool>
  /** Keys of pools, in order of creation; of those that hold a token; of those of a pair. */
  poolKeys: string[]
  poolsByToken: Map<string, string[]>
  poolsByPair: Map<string, string[]>
  /** Pairs with pools at more than one fee tier, in the order in which they came to it. */
  contestedPairs: string[]
  /** Those open, in order of creation. */
  positions: Map<string, ChainPosition>
  /** Ids of open positions, by owner; empty for one who has closed all. */
  positionsByOwner: Map<string, Set<string>>
  /** By address, then token. */
  balances: Map<string, Map<string, bigint>>
  /** By swap id, oldest first. */
  pendingOutputs: Map<string, PendingOutput>
  faucet: { grants: FaucetGrants | null; lastClaimMs: Map<string, number> }
  /** Transactions so far, by sender. */
  nonces: Map<string, number>
}

/** A chain before its first block; `startMs` is in milliseconds since the epoch. */
export function emptyState(options: { startMs: number; administrator: string }): ChainState {
  return {
    journal: createJournal({ depthMax: REORG_DEPTH_MAX }),
    height: -1,
    timeMs: options.startMs,
    hash: NO_HASH,
    eventLogHash: NO_HASH,
    configuration: {
      revision: 1,
      paused: false,
      poolCreation: 'open',
      allowlistEnabled: false,
      feeTiers: [],
    },
    pausedPairs: new Set(),
    allowlist: { tokens: new Set(), pairs: new Set() },
    administrator: options.administrator,
    tokens: new Map(),
    pools: new Map(),
    poolKeys: [],
    poolsByToken: new Map(),
    poolsByPair: new Map(),
    contestedPairs: [],
    positions: new Map(),
    positionsByOwner: new Map(),
    balances: new Map(),
    pendingOutputs: new Map(),
    faucet: { grants: null, lastClaimMs: new Map() },
    nonces: new Map(),
  }
}

export type ProgramContext = {
  transactionId: string
  nonce: number
  height: number
  timeMs: number
  /** The block's time in whole seconds, as pools count it. */
  timeS: number
  /** A number of its own for what the transaction creates, ascending in the order of execution. */
  sequence: number
}

/**
 * Executes one kind of transaction: checks all of it (or throws a Refusal or an AmmError), then changes the state, by way
 * of its journal.
 */
export type Program<Kind extends Transaction['kind']> = (
  state: ChainState,
  transaction: Extract<Transaction, { kind: Kind }>,
  context: ProgramContext,
) => readonly ChainEvent[]
