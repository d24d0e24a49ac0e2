/** Rows of the indexer's views as they stand on the wire (specification, Resources). */
import type { z } from 'zod'
import type { explorePoolSchema, poolSchema } from '../../contract/schemas/pools.ts'
import type { swapSchema } from '../../contract/schemas/swaps.ts'
import type { tokenInfoSchema } from '../../contract/schemas/wire.ts'
import type { ExploreRow, PoolView, SwapView, TokenView } from '../indexer/views.ts'

/** Not shown, decided: `fee` is in hundredths of a basis point, as the AMM counts it. */
export function poolRecord(pool: PoolView): z.infer<typeof poolSchema> {
  return {
    key: pool.key,
    token0: pool.token0.id,
    token1: pool.token1.id,
    enabled: pool.enabled,
    fee: String(pool.feePips),
  }
}

export function explorePoolRecord(row: ExploreRow): z.infer<typeof explorePoolSchema> {
  const { pool } = row
  return {
    id: pool.id,
    key: pool.key,
    token0: pool.token0.id,
    token1: pool.token1.id,
    token0Name: pool.token0.name,
    token0Symbol: pool.token0.symbol,
    token1Name: pool.token1.name,
    token1Symbol: pool.token1.symbol,
    token0Decimals: pool.token0.decimals,
    token1Decimals: pool.token1.decimals,
    displayFlipped: row.displayFlipped,
    enabled: pool.enabled,
    feePercent: feePercent(pool.feePips),
    createdAt: timestamp(pool.createdAtMs),
    price: row.price,
    priceChangePct: row.priceChangePct,
    priceUsd: row.priceUsd,
    tvlUsd: row.tvlUsd,
    volumeUsd: row.volumeUsd,
    token0Image: pool.token0.image,
    token1Image: pool.token1.image,
  }
}

export function tokenInfo(token: TokenView): z.infer<typeof tokenInfoSchema> {
  return {
    address: token.address,
    decimals: token.decimals,
    id: token.id,
    name: token.name,
    symbol: token.symbol,
    amm_token_program: token.ammTokenProgram,
    ...(token.image !== null && { image: token.image }),
    ...(token.underlyingProgram !== null && { underlying_program: token.underlyingProgram }),
    ...(token.underlyingTokenId !== null && { underlying_token_id: token.underlyingTokenId }),
  }
}

/** Not shown, decided: `pool` is the first pool of the route. */
export function swapRecord(swap: SwapView): z.infer<typeof swapSchema> {
  return {
    id: swap.id,
    swap_id: swap.swapId,
    user: swap.user,
    recipient: swap.recipient,
    pool: swap.hops[0]?.pool ?? '',
    hops: swap.hops.map((hop) => ({ pool: hop.pool, zero_for_one: hop.zeroForOne })),
    input_token: swap.inputToken.id,
    output_token: swap.outputToken.id,
    input_amount: String(swap.inputAmount),
    output_amount: String(swap.outputAmount),
    amount_remaining: String(swap.amountRemaining),
    is_private: swap.isPrivate,
    nonce: swap.nonce,
    executed_at: timestamp(swap.executedAtMs),
    transaction: swap.transaction,
    ...(swap.claimTx !== null && { claim_tx: swap.claimTx }),
    ...(swap.claimedAtMs !== null && { claimed_at: timestamp(swap.claimedAtMs) }),
    input_token_info: tokenInfo(swap.inputToken),
    output_token_info: tokenInfo(swap.outputToken),
  }
}

/** RFC 3339 with milliseconds, UTC. */
export function timestamp(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** 3000 hundredths of a basis point are `0.3` percent: exact, in integers. */
export function feePercent(feePips: number): string {
  const fraction = String(feePips % 10_000)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return `${Math.floor(feePips / 10_000)}${fraction && `.${fraction}`}`
}
