import type { Pool as AmmPool } from '../amm/pool.ts'
import { NO_HASH } from './block.ts'
import type { Configuration, TokenDraft } from './event.ts'

export type Token = TokenDraft & { supply: bigint }

export type ChainPool = {
  key: string
  token0: string
  token1: string
  enabled: boolean
  /** What the pool holds, fees included. */
  balance0: bigint
  balance1: bigint
  amm: AmmPool
}

/** A swap's output, held by the exchange until its recipient claims it. */
export type PendingOutput = {
  swapId: string
  recipient: string
  tokenId: string
  amount: bigint
  height: number
}

/** All that the chain knows between two blocks: plain data, and nothing else decides what comes next. */
export type ChainState = {
  /** -1 before the first block. */
  height: number
  timeMs: number
  hash: string
  eventLogHash: string
  configuration: Configuration
  administrator: string
  tokens: Map<string, Token>
  /** In order of creation. */
  pools: Map<string, ChainPool>
  /** By address, then token. */
  balances: Map<string, Map<string, bigint>>
  /** By swap id, oldest first. */
  pendingOutputs: Map<string, PendingOutput>
  /** Transactions so far, by sender. */
  nonces: Map<string, number>
}

export function emptyState(options: { startMs: number; administrator: string }): ChainState {
  return {
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
    administrator: options.administrator,
    tokens: new Map(),
    pools: new Map(),
    balances: new Map(),
    pendingOutputs: new Map(),
    nonces: new Map(),
  }
}
