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
  /** Includes fees and tokens owed to positions. */
  balance0: bigint
  balance1: bigint
  amm: AmmPool
}

/** Liquidity and tokens owed are in the pool, with the position's id as owner. */
export type ChainPosition = {
  id: string
  /** Ascending in order of creation, for undo-log.ts. */
  sequence: number
  owner: string
  pool: string
  tickLower: number
  tickUpper: number
  isPrivate: boolean
  /** If set, only the administrator may change the position. */
  frozenAtMs: number | null
}

/** A swap's output, held by the exchange until fully claimed. */
export type PendingOutput = {
  swapId: string
  recipient: string
  tokenId: string
  amountRemaining: bigint
  height: number
  sequence: number
}

/** The chain's complete state between two blocks: plain data, changed only through its journal. */
export type ChainState = {
  journal: Journal
  /** -1 before the first block. */
  height: number
  timeMs: number
  hash: string
  eventLogHash: string
  configuration: Configuration
  pausedPairs: Set<string>
  /** Applies while the configuration enables it: pairs of two listed tokens and listed pairs trade. */
  allowlist: { tokens: Set<string>; pairs: Set<string> }
  administrator: string
  tokens: Map<string, Token>
  pools: Map<string, ChainPool>
  /** Pool keys in order of creation: all, by token, by pair. */
  poolKeys: string[]
  poolsByToken: Map<string, string[]>
  poolsByPair: Map<string, string[]>
  /** Pairs with pools at more than one fee tier, in the order of their second pool. */
  contestedPairs: string[]
  /** Open positions, in order of creation. */
  positions: Map<string, ChainPosition>
  /** Ids of open positions; an empty set for an owner who closed all. */
  positionsByOwner: Map<string, Set<string>>
  balances: Map<string, Map<string, bigint>>
  /** By swap id, oldest first. */
  pendingOutputs: Map<string, PendingOutput>
  faucet: { grants: FaucetGrants | null; lastClaimMs: Map<string, number> }
  nonces: Map<string, number>
}

/** State before the first block; `startMs` is in milliseconds since the epoch. */
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
  /** The block's time in whole seconds, as pools use it. */
  timeS: number
  /** A unique number for a created object, ascending in order of execution. */
  sequence: number
}

/** Executes one kind of transaction: checks everything (throws Refusal or AmmError), then changes the state by its journal. */
export type Program<Kind extends Transaction['kind']> = (
  state: ChainState,
  transaction: Extract<Transaction, { kind: Kind }>,
  context: ProgramContext,
) => readonly ChainEvent[]
