import { openAmmPool } from '../../chain/programs/pools.ts'
import type { ChainEvent } from '../../chain/transaction.ts'
import {
  addMember,
  append,
  type Journal,
  putEntry,
  rememberFields,
  rememberMembers,
  setFields,
} from '../../undo-log.ts'
import { emptyCandles } from '../candles.ts'
import { logFaucetRecord } from '../history/faucet-records.ts'
import { emptyLog } from '../history/history-log.ts'
import {
  type IndexedPool,
  type IndexState,
  indexedPool,
  indexedToken,
  type PoolToken,
} from '../index-state.ts'
import type { BlockChanges } from './block-update.ts'
import type { Folding } from './fold-block.ts'

/** Starts without liquidity, at the first price. */
export function foldPoolCreated(
  state: IndexState,
  event: Extract<ChainEvent, { kind: 'poolCreated' }>,
  { timeMs, timeS, changed }: Folding,
): void {
  const { pool: key, feePips, tickSpacing, sqrtPriceX96 } = event
  const pool: IndexedPool = {
    key,
    sequence: state.pools.size,
    token0: poolToken(state, event.token0),
    token1: poolToken(state, event.token1),
    feePips,
    tickSpacing,
    createdAtMs: timeMs,
    openingX96: sqrtPriceX96,
    displayFlipped: isQuote(state, event.token0, event.token1),
    enabled: true,
    balance0: 0n,
    balance1: 0n,
    volume0Total: 0n,
    volume1Total: 0n,
    amm: openAmmPool({ feePips, tickSpacing, sqrtPriceX96, timeS }),
    candles: emptyCandles(),
    trades: emptyLog(),
  }
  putEntry(state.journal, state.pools, key, pool)
  for (const token of [event.token0, event.token1]) {
    const pools = state.poolsByToken.get(token)
    if (pools) append(state.journal, pools, pool)
    else putEntry(state.journal, state.poolsByToken, token, [pool])
  }
  changed.launched.push(pool)
  touchPool(state.journal, pool, changed)
}

export function foldPoolEnabled(
  state: IndexState,
  { pool: key, enabled }: Extract<ChainEvent, { kind: 'poolEnabled' }>,
  { changed }: Folding,
): void {
  const { journal, disabledPools } = state
  const pool = indexedPool(state, key)
  touchPool(journal, pool, changed)
  setFields(journal, pool, { enabled })
  if (enabled) removeListed(journal, disabledPools, key)
  else addMember(journal, disabledPools, key)
}

/** Call this before a pool changes: in-place changes by swaps are journaled once per block. */
export function touchPool(journal: Journal, pool: IndexedPool, { moved }: BlockChanges): void {
  if (moved.has(pool)) return
  moved.add(pool)
  const { balance0, balance1, volume0Total, volume1Total } = pool
  rememberFields(journal, pool, { balance0, balance1, volume0Total, volume1Total })
  const minute = pool.candles.open[0]
  if (!minute) return
  const { highX96, lowX96, closeX96 } = minute
  rememberFields(journal, minute, { highX96, lowX96, closeX96 })
}

function poolToken(state: IndexState, tokenId: string): PoolToken {
  const { id, decimals } = indexedToken(state, tokenId)
  return { id, decimals }
}

/** Picks the quote token: the stable one, else the one with more pools so far. */
function isQuote(state: IndexState, token: string, other: string): boolean {
  if (token === state.stableTokenId) return true
  if (other === state.stableTokenId) return false
  return (state.poolsByToken.get(token)?.length ?? 0) > (state.poolsByToken.get(other)?.length ?? 0)
}

/** Replaces the configuration and records the changed keys. */
export function foldConfig(
  state: IndexState,
  { configuration, changes }: Extract<ChainEvent, { kind: 'configChanged' }>,
  { changed }: Folding,
): void {
  setFields(state.journal, state, { protocol: configuration })
  changed.configChanges.push(...changes)
}

export function foldPairPaused(
  state: IndexState,
  { pair, paused }: Extract<ChainEvent, { kind: 'pairPaused' }>,
): void {
  setMember(state.journal, state.pausedPairs, pair, paused)
}

export function foldTokenListed(
  state: IndexState,
  { tokenId, listed }: Extract<ChainEvent, { kind: 'tokenListed' }>,
): void {
  setMember(state.journal, state.allowlist.tokens, tokenId, listed)
}

export function foldPairListed(
  state: IndexState,
  { pair, listed }: Extract<ChainEvent, { kind: 'pairListed' }>,
): void {
  setMember(state.journal, state.allowlist.pairs, pair, listed)
}

export function foldFaucetClaimed(
  state: IndexState,
  { recipient, records }: Extract<ChainEvent, { kind: 'faucetClaimed' }>,
  { height, timeMs, transactionId }: Folding,
): void {
  const claimed = { recipient, transaction: transactionId, block: height, atMs: timeMs }
  for (const { id, tokenId, amount } of records) logFaucetRecord(state, { id, tokenId, amount, ...claimed })
}

// `isIn` comes straight from an event, so two functions would only add names.
function setMember(journal: Journal, set: Set<string>, item: string, isIn: boolean): void {
  if (isIn) addMember(journal, set, item)
  else removeListed(journal, set, item)
}

/** Journals the whole list, in the order that readers see; removals are rare. */
function removeListed(journal: Journal, set: Set<string>, item: string): void {
  rememberMembers(journal, set)
  set.delete(item)
}
