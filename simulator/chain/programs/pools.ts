import {
  collectProtocol as collectFromAmm,
  isProtocolFee,
  type ProtocolFee,
  setProtocolFee,
} from '../../amm/fees.ts'
import { increaseObservationCardinality } from '../../amm/oracle.ts'
import { type Pool as AmmPool, createPool as createAmmPool, type PoolOptions } from '../../amm/pool.ts'
import { append, type Journal, putEntry, rememberFields } from '../../undo-log.ts'
import { fieldFrom } from '../identifiers.ts'
import { addToPool, moveBalances } from '../ledger.ts'
import { isListed, orderTokens, pairKey } from '../pair.ts'
import { Refusal } from '../refusal.ts'
import type { ChainPool, ChainState, Program } from '../state.ts'
import type { ChainEvent, PoolAfter } from '../transaction.ts'

/** One pool for each pair and fee tier. The price is token1 per token0, in whichever order the tokens are given. */
export const createPool: Program<'createPool'> = (
  state,
  { sender, tokenA, tokenB, feePips, sqrtPriceX96 },
  { timeS },
) => {
  const { poolCreation, feeTiers } = state.configuration
  if (poolCreation === 'gated' && sender !== state.administrator) throw new Refusal('pool-creation-gated')
  if (tokenA === tokenB || !state.tokens.has(tokenA) || !state.tokens.has(tokenB))
    throw new Refusal('pair-invalid')
  if (!isListed(state, tokenA, tokenB)) throw new Refusal('pair-unlisted')
  const tier = feeTiers.find((candidate) => candidate.feePips === feePips)
  if (!tier) throw new Refusal('tier-unknown')
  const key = poolKey(tokenA, tokenB, feePips)
  if (state.pools.has(key)) throw new Refusal('pool-exists')
  const { tickSpacing } = tier
  const amm = openAmmPool({ feePips, tickSpacing, sqrtPriceX96, timeS })
  const [token0, token1] = orderTokens(tokenA, tokenB)
  addPool(state, { key, token0, token1, enabled: true, balance0: 0n, balance1: 0n, amm })
  return [{ kind: 'poolCreated', pool: key, token0, token1, feePips, tickSpacing, ...poolAfter(amm) }]
}

/** Capacity of a pool's oracle: one observation per second in which its price or liquidity changed. */
const OBSERVATIONS = 64

/** Shared by chain and indexer, so that their oracles are equal. */
export function openAmmPool(options: Required<PoolOptions>): AmmPool {
  const amm = createAmmPool(options)
  increaseObservationCardinality(amm, OBSERVATIONS)
  return amm
}

/** The order of the tokens does not matter. */
export function poolKey(tokenA: string, tokenB: string, feePips: number): string {
  return fieldFrom(`pool/${pairKey(tokenA, tokenB)}/${feePips}`)
}

export function requirePool(state: ChainState, key: string): ChainPool {
  const pool = state.pools.get(key)
  if (!pool) throw new Refusal('pool-unknown')
  return pool
}

/** Copies the pool's state for an event: the pool itself keeps changing. */
export function poolAfter({ sqrtPriceX96, tick, liquidity }: PoolAfter): PoolAfter {
  return { sqrtPriceX96, tick, liquidity }
}

function addPool(state: ChainState, pool: ChainPool): void {
  const { journal } = state
  const { key, token0, token1 } = pool
  const pair = pairKey(token0, token1)
  putEntry(journal, state.pools, key, pool)
  append(journal, state.poolKeys, key)
  for (const token of [token0, token1]) appendTo(journal, state.poolsByToken, token, key)
  appendTo(journal, state.poolsByPair, pair, key)
  if (state.poolsByPair.get(pair)?.length === 2) append(journal, state.contestedPairs, pair)
}

function appendTo(journal: Journal, lists: Map<string, string[]>, name: string, item: string): void {
  const list = lists.get(name)
  if (list) append(journal, list, item)
  else putEntry(journal, lists, name, [item])
}

/**
 * `POOL/PART0/PART1`: the protocol gets 1/PART of the pool's fees in each token, or nothing for 0, within the bounds of
 * UniswapV3Pool.setFeeProtocol. Returns no events for any other key.
 */
export function changeProtocolFee(state: ChainState, key: string): readonly ChainEvent[] {
  const [poolKey = '', ...parts] = key.split('/')
  const pool = state.pools.get(poolKey)
  const fee = parseProtocolFee(parts)
  if (!pool || !fee) return []
  const { feeProtocol0, feeProtocol1 } = pool.amm
  rememberFields(state.journal, pool.amm, { feeProtocol0, feeProtocol1 })
  setProtocolFee(pool.amm, fee)
  return [{ kind: 'protocolFeeSet', pool: poolKey, ...fee }]
}

function parseProtocolFee(parts: readonly string[]): ProtocolFee | undefined {
  const [feeProtocol0, feeProtocol1] = parts.filter((part) => /^(0|[1-9]\d*)$/.test(part)).map(Number)
  if (parts.length !== 2 || feeProtocol0 === undefined || feeProtocol1 === undefined) return undefined
  if (!isProtocolFee(feeProtocol0) || !isProtocolFee(feeProtocol1)) return undefined
  return { feeProtocol0, feeProtocol1 }
}

/** Pays the protocol's share to any recipient; only for the administrator. Keeps one unit of a token requested in full. */
export const collectProtocol: Program<'collectProtocol'> = (state, transaction) => {
  const { sender, recipient, amount0Max, amount1Max } = transaction
  if (sender !== state.administrator) throw new Refusal('not-administrator')
  const pool = requirePool(state, transaction.pool)
  const { protocolFees0, protocolFees1 } = pool.amm
  rememberFields(state.journal, pool.amm, { protocolFees0, protocolFees1 })
  const { amount0, amount1 } = collectFromAmm(pool.amm, { amount0: amount0Max, amount1: amount1Max })
  if (amount0 === 0n && amount1 === 0n) throw new Refusal('nothing-owed')
  addToPool(state, pool, -amount0, -amount1)
  return [
    { kind: 'protocolCollected', pool: pool.key, recipient, amount0, amount1 },
    ...moveBalances(state, recipient, pool, amount0, amount1),
  ]
}
