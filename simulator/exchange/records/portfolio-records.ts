/** What a wallet has, as it stands on the wire (contract/schemas/portfolio.ts). */
import type { z } from 'zod'
import type {
  balancesPageSchema,
  positionsPageSchema,
  unclaimedBodySchema,
} from '../../../contract/schemas/portfolio.ts'
import type { Choices } from '../../choices/choices.ts'
import type { SwapView } from '../../indexer/views/trade-views.ts'
import type { BalanceView, PositionView } from '../../indexer/views/wallet-views.ts'
import { tokenInfo } from './records.ts'

type Unclaimed = z.infer<typeof unclaimedBodySchema>['data']

/** A swap whose output, or part of it, waits to be claimed. */
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

/** A position with what it is owed, in base units. */
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

/** A position with its range, its liquidity, and what that is worth in either token. */
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

/** What a wallet holds of a token, in base units. */
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
