import { createPool as createAmmPool } from '../../amm/pool.ts'
import type { PoolAfter } from '../event.ts'
import { fieldFrom } from '../identifiers.ts'
import { orderTokens, pairOf } from '../pair.ts'
import type { Program } from '../program.ts'
import { Refusal } from '../refusal.ts'
import type { ChainPool, ChainState } from '../state.ts'
import { isListed } from '../tradable.ts'

/** One pool for each pair and fee tier. The price is token1 per token0, whichever way round the tokens are named. */
export const createPool: Program<'createPool'> = (
  state,
  { sender, tokenA, tokenB, feePips, sqrtPriceX96 },
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
  const amm = createAmmPool({ feePips, tickSpacing, sqrtPriceX96 })
  const [token0, token1] = orderTokens(tokenA, tokenB)
  addPool(state, { key, token0, token1, enabled: true, balance0: 0n, balance1: 0n, amm })
  return [{ kind: 'poolCreated', pool: key, token0, token1, feePips, tickSpacing, ...poolAfter(amm) }]
}

export function poolKey(tokenA: string, tokenB: string, feePips: number): string {
  return fieldFrom(`pool/${pairOf(tokenA, tokenB)}/${feePips}`)
}

export function requirePool(state: ChainState, key: string): ChainPool {
  const pool = state.pools.get(key)
  if (!pool) throw new Refusal('pool-unknown')
  return pool
}

export function poolAfter({ sqrtPriceX96, tick, liquidity }: PoolAfter): PoolAfter {
  return { sqrtPriceX96, tick, liquidity }
}

function addPool(state: ChainState, pool: ChainPool): void {
  const { key, token0, token1 } = pool
  const pair = pairOf(token0, token1)
  state.pools.set(key, pool)
  state.poolKeys.push(key)
  for (const token of [token0, token1]) append(state.poolsByToken, token, key)
  append(state.poolsByPair, pair, key)
  if (state.poolsByPair.get(pair)?.length === 2) state.contestedPairs.push(pair)
}

function append(lists: Map<string, string[]>, name: string, item: string): void {
  const list = lists.get(name)
  if (list) list.push(item)
  else lists.set(name, [item])
}
