import { burn, positionKey } from '../amm/position.ts'
import { rangeOf } from '../chain/position-account.ts'
import type { ChainPool, ChainPosition } from '../chain/state.ts'
import type { Checker } from './evidence.ts'
import { positionsByPool } from './positions-by-pool.ts'

/** If every position were burnt and collected now, and the protocol took its share of the fees, each pool could pay. */
export const poolsSolvent: Checker = ({ chain }) => {
  const byPool = positionsByPool(chain)
  return [...chain.pools.values()].flatMap((pool) => shortfalls(pool, byPool.get(pool.key) ?? []))
}

function shortfalls(pool: ChainPool, positions: readonly ChainPosition[]): readonly string[] {
  const amm = structuredClone(pool.amm)
  let owed0 = amm.protocolFees0
  let owed1 = amm.protocolFees1
  for (const position of positions) {
    const range = rangeOf(position)
    const account = amm.positions.get(positionKey(range))
    // Debts of one position must not hide what another is owed.
    if (account && (account.tokensOwed0 < 0n || account.tokensOwed1 < 0n))
      return [`pool ${pool.key}: position ${position.id} owes the pool`]
    if (!account) return [`pool ${pool.key}: no account of position ${position.id}`]
    if (account.liquidity > 0n) burn(amm, range, account.liquidity)
    owed0 += account.tokensOwed0
    owed1 += account.tokensOwed1
  }
  const sides = [
    { name: 'token0', owed: owed0, balance: pool.balance0 },
    { name: 'token1', owed: owed1, balance: pool.balance1 },
  ]
  return sides
    .filter(({ owed, balance }) => owed > balance)
    .map(({ name, owed, balance }) => `pool ${pool.key}: owes ${owed} of ${name}, has ${balance}`)
}
