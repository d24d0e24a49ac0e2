/** Rows of the indexer's views in wire format (specification, Resources). */
import type { z } from 'zod'
import type { explorePoolSchema, poolSchema } from '../../../contract/schemas/pools.ts'
import type {
  balancesPageSchema,
  positionsPageSchema,
  swapSchema,
  unclaimedBodySchema,
} from '../../../contract/schemas/portfolio.ts'
import type { tokenInfoSchema } from '../../../contract/schemas/wire.ts'
import type { Choices } from '../../choices/choices.ts'
import type { ExploreRow, PoolView, TokenView } from '../../indexer/views/market-views.ts'
import type { BalanceView, PositionView, SwapView } from '../../indexer/views/trade-views.ts'
import type { Page, Views } from '../../indexer/views/views.ts'

/** Only the fields that the specification states. */
export function poolRecord(pool: PoolView, { wire }: Choices): z.infer<typeof poolSchema> {
  return {
    key: wire.poolKey.encode(pool.key),
    token0: wire.tokenId.encode(pool.token0.id),
    token1: wire.tokenId.encode(pool.token1.id),
    enabled: pool.enabled,
    fee: wire.fee(pool.feePips),
  }
}

export function explorePoolRecord(row: ExploreRow, choices: Choices): z.infer<typeof explorePoolSchema> {
  return { ...explorePoolTerms(row, choices), ...explorePoolFigures(row, choices) }
}

/** The first part of a record: what a pool trades and how. */
export function explorePoolTerms({ pool, displayFlipped }: ExploreRow, { wire }: Choices) {
  return {
    id: pool.id,
    key: wire.poolKey.encode(pool.key),
    token0: wire.tokenId.encode(pool.token0.id),
    token1: wire.tokenId.encode(pool.token1.id),
    token0Name: pool.token0.name,
    token0Symbol: pool.token0.symbol,
    token1Name: pool.token1.name,
    token1Symbol: pool.token1.symbol,
    token0Decimals: pool.token0.decimals,
    token1Decimals: pool.token1.decimals,
    displayFlipped,
    enabled: pool.enabled,
    feePercent: feePercent(pool.feePips),
    createdAt: wire.timestamp(pool.createdAtMs),
  }
}

/** The other part: fields that may be unknown. */
export function explorePoolFigures(row: ExploreRow, choices: Choices) {
  const { pool, price, priceChangePct, priceUsd, tvlUsd, volumeUsd } = row
  const { image: token0Image } = pool.token0
  const { image: token1Image } = pool.token1
  return unknownFields(
    { price, priceChangePct, priceUsd, tvlUsd, volumeUsd, token0Image, token1Image },
    choices,
  )
}

/** Keeps or omits null fields, as the choices declare. */
function unknownFields<Fields extends object>(fields: Fields, { explorePools }: Choices): Partial<Fields> {
  if (explorePools.unknownFields === 'null') return fields
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(known) as Partial<Fields> // as: a subset of the fields
}

export function tokenInfo(token: TokenView, { wire }: Choices): z.infer<typeof tokenInfoSchema> {
  return {
    address: wire.address.encode(token.address),
    decimals: token.decimals,
    id: wire.tokenId.encode(token.id),
    name: token.name,
    symbol: token.symbol,
    amm_token_program: token.ammTokenProgram,
    ...(token.image !== null && { image: token.image }),
    ...(token.underlyingProgram !== null && { underlying_program: token.underlyingProgram }),
    ...(token.underlyingTokenId !== null && { underlying_token_id: token.underlyingTokenId }),
  }
}

/** Unspecified: `pool` is the first pool of the route. */
export function swapRecord(swap: SwapView, choices: Choices): z.infer<typeof swapSchema> {
  const { timestamp, address, poolKey, tokenId } = choices.wire
  const hops = swap.hops.map((hop) => ({ pool: poolKey.encode(hop.pool), zero_for_one: hop.zeroForOne }))
  return {
    id: swap.id,
    swap_id: swap.swapId,
    user: address.encode(swap.user),
    recipient: address.encode(swap.recipient),
    pool: hops[0]?.pool ?? '',
    hops,
    input_token: tokenId.encode(swap.inputToken.id),
    output_token: tokenId.encode(swap.outputToken.id),
    input_amount: String(swap.inputAmount),
    output_amount: String(swap.outputAmount),
    amount_remaining: String(swap.amountRemaining),
    is_private: swap.isPrivate,
    nonce: swap.nonce,
    executed_at: timestamp(swap.executedAtMs),
    transaction: swap.transaction,
    ...(swap.claimTx !== null && { claim_tx: swap.claimTx }),
    ...(swap.claimedAtMs !== null && { claimed_at: timestamp(swap.claimedAtMs) }),
    input_token_info: tokenInfo(swap.inputToken, choices),
    output_token_info: tokenInfo(swap.outputToken, choices),
    ...(choices.swapTrade === 'shown' && { trade: `${swap.transaction}/${swap.nonce}` }),
  }
}

/** Formats hundredths of a basis point as percent: 3000 is `0.3`. Exact, because it uses integers. */
export function feePercent(feePips: number): string {
  const fraction = String(feePips % 10_000)
    .padStart(4, '0')
    .replace(/0+$/, '')
  return `${Math.floor(feePips / 10_000)}${fraction && `.${fraction}`}`
}

type Unclaimed = z.infer<typeof unclaimedBodySchema>['data']

export function pendingSwapRecord(swap: SwapView, choices: Choices): Unclaimed['pending_swaps'][number] {
  const { address, tokenId } = choices.wire
  return {
    swap_id: swap.swapId,
    swap_tx_hash: swap.transaction,
    is_multi_hop: swap.hops.length > 1,
    is_private: swap.isPrivate,
    output: {
      amount_out: String(swap.outputAmount),
      amount_remaining: String(swap.amountRemaining),
      recipient: address.encode(swap.recipient),
      token_in: tokenId.encode(swap.inputToken.id),
      token_out: tokenId.encode(swap.outputToken.id),
    },
    token_in_info: tokenInfo(swap.inputToken, choices),
    token_out_info: tokenInfo(swap.outputToken, choices),
  }
}

export function owedPositionRecord(
  position: PositionView,
  choices: Choices,
): Unclaimed['positions_with_owed'][number] {
  const { pool, frozenAtMs } = position
  const { poolKey, timestamp, tokenId } = choices.wire
  return {
    token_id: tokenId.encode(position.id),
    pool: poolKey.encode(pool.key),
    tick_lower: position.tickLower,
    tick_upper: position.tickUpper,
    tokens_owed0: String(position.tokensOwed0),
    tokens_owed1: String(position.tokensOwed1),
    is_frozen: frozenAtMs !== null,
    is_private: position.isPrivate,
    ...(frozenAtMs !== null && { frozen_at: timestamp(frozenAtMs) }),
    last_transaction_hash: position.lastTransaction,
    token0_info: tokenInfo(pool.token0, choices),
    token1_info: tokenInfo(pool.token1, choices),
  }
}

export function positionRecord(
  position: PositionView,
  choices: Choices,
): z.infer<typeof positionsPageSchema>['data'][number] {
  const { pool, tickLower, tickUpper } = position
  return {
    ...owedPositionRecord(position, choices),
    owner: choices.wire.address.encode(position.owner),
    fee: choices.wire.fee(pool.feePips),
    liquidity: String(position.liquidity),
    amount0: String(position.amount0),
    amount1: String(position.amount1),
    in_range: tickLower <= pool.tick && pool.tick < tickUpper,
    created_at: choices.wire.timestamp(position.createdAtMs),
  }
}

export function balanceRecord(
  { token, balance }: BalanceView,
  choices: Choices,
): z.infer<typeof balancesPageSchema>['data'][number] {
  return {
    token: choices.wire.tokenId.encode(token.id),
    balance: String(balance),
    token_info: tokenInfo(token, choices),
  }
}

export function orderRows<Row>(rows: readonly Row[], order: 'oldest first' | 'newest first'): readonly Row[] {
  return order === 'oldest first' ? rows : rows.toReversed()
}

/** A page of pools, in the order of the choices. */
export function readPools(
  views: Pick<Views, 'pools'>,
  page: { limit: number; offset: number },
  { paging }: Pick<Choices, 'paging'>,
): Page<PoolView> {
  return paging.pools === 'oldest first' ? views.pools(page) : readPageFromEnd(views.pools, page)
}

export function readPageFromEnd<Row>(
  read: (page: { limit: number; offset: number }) => Page<Row>,
  { limit, offset }: { limit: number; offset: number },
): Page<Row> {
  const { total } = read({ limit: 0, offset: 0 })
  const end = Math.max(0, total - offset)
  const start = Math.max(0, end - limit)
  return { rows: read({ limit: end - start, offset: start }).rows.toReversed(), total }
}
