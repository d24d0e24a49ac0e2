import { createPool as createAmmPool } from '../../amm/pool.ts'
import { amountsBehind, mint } from '../../amm/position.ts'
import type { PoolAfter } from '../event.ts'
import { compareFields, fieldFrom } from '../identifiers.ts'
import { changeBalance, requireBalance } from '../ledger.ts'
import type { Program } from '../program.ts'
import { Refusal } from '../refusal.ts'
import type { ChainPool, ChainState } from '../state.ts'

/** One pool for each pair and fee tier. The price is token1 per token0, whichever way round the tokens are named. */
export const createPool: Program<'createPool'> = (
  state,
  { sender, tokenA, tokenB, feePips, sqrtPriceX96 },
) => {
  const { poolCreation, feeTiers } = state.configuration
  if (poolCreation === 'gated' && sender !== state.administrator) throw new Refusal('pool creation is gated')
  if (tokenA === tokenB || !state.tokens.has(tokenA) || !state.tokens.has(tokenB))
    throw new Refusal('no such pair')
  const tier = feeTiers.find((candidate) => candidate.feePips === feePips)
  if (!tier) throw new Refusal('no such fee tier')
  const key = poolKey(tokenA, tokenB, feePips)
  if (state.pools.has(key)) throw new Refusal('pool exists')
  const amm = createAmmPool({ feePips, tickSpacing: tier.tickSpacing, sqrtPriceX96 })
  const [token0, token1] = orderTokens(tokenA, tokenB)
  state.pools.set(key, { key, token0, token1, enabled: true, balance0: 0n, balance1: 0n, amm })
  return [
    {
      kind: 'poolCreated',
      pool: key,
      token0,
      token1,
      feePips,
      tickSpacing: tier.tickSpacing,
      ...poolAfter(amm),
    },
  ]
}

export const addLiquidity: Program<'addLiquidity'> = (state, transaction) => {
  const { sender, tickLower, tickUpper, liquidity } = transaction
  const pool = requirePool(state, transaction.pool)
  const range = { owner: sender, tickLower, tickUpper }
  const { amount0, amount1 } = amountsBehind(pool.amm, range, liquidity, 'up')
  requireBalance(state, sender, pool.token0, amount0)
  requireBalance(state, sender, pool.token1, amount1)
  mint(pool.amm, range, liquidity)
  pool.balance0 += amount0
  pool.balance1 += amount1
  return [
    {
      kind: 'liquidityAdded',
      pool: pool.key,
      owner: sender,
      tickLower,
      tickUpper,
      liquidityDelta: liquidity,
      amount0,
      amount1,
      ...poolAfter(pool.amm),
    },
    changeBalance(state, sender, pool.token0, -amount0),
    changeBalance(state, sender, pool.token1, -amount1),
  ]
}

export function poolKey(tokenA: string, tokenB: string, feePips: number): string {
  return fieldFrom(`pool/${orderTokens(tokenA, tokenB).join('/')}/${feePips}`)
}

export function orderTokens(tokenA: string, tokenB: string): [string, string] {
  return compareFields(tokenA, tokenB) < 0 ? [tokenA, tokenB] : [tokenB, tokenA]
}

export function requirePool(state: ChainState, key: string): ChainPool {
  const pool = state.pools.get(key)
  if (!pool) throw new Refusal('unknown pool')
  return pool
}

export function poolAfter({ sqrtPriceX96, tick, liquidity }: PoolAfter): PoolAfter {
  return { sqrtPriceX96, tick, liquidity }
}
