import { LIMITS } from '../../../contract/limits.ts'
import { applySwap, computeSwap, type Swap } from '../../amm/swap.ts'
import { putEntry, rememberFields, removeEntry, setFields } from '../../undo-log.ts'
import { rememberSwap } from '../amm-journal.ts'
import { fieldFrom } from '../identifiers.ts'
import { changeBalance, requireBalance } from '../ledger.ts'
import { requireTradable } from '../pair.ts'
import { Refusal } from '../refusal.ts'
import type { ChainPool, ChainState, Program } from '../state.ts'
import type { SwapHop, SwapTransaction } from '../transaction.ts'
import { requirePool } from './pools.ts'

/** Takes the input at once; the exchange holds the output until it is claimed. */
export const swap: Program<'swap'> = (
  state,
  transaction,
  { transactionId, nonce, height, timeS, sequence },
) => {
  const { sender, recipient, tokenIn, amountIn } = transaction
  const executions = computeHops(state, transaction)
  const last = executions.at(-1)
  if (!last || last.amountOut < transaction.amountOutMin) throw new Refusal('output-below-minimum')
  requireBalance(state, sender, tokenIn, amountIn)

  const swapId = fieldFrom(`swap/${transactionId}`)
  for (const execution of executions) applyHop(state, execution, timeS)
  putEntry(state.journal, state.pendingOutputs, swapId, {
    swapId,
    recipient,
    tokenId: last.tokenOut,
    amountRemaining: last.amountOut,
    height,
    sequence,
  })
  return [
    {
      kind: 'swapExecuted',
      swapId,
      user: sender,
      recipient,
      tokenIn,
      tokenOut: last.tokenOut,
      amountIn,
      amountOut: last.amountOut,
      isPrivate: transaction.isPrivate,
      nonce: String(nonce),
      hops: executions.map(toHop),
    },
    changeBalance(state, sender, tokenIn, -amountIn),
  ]
}

/** Only the recipient claims, all that remains or a part of it. */
export const claim: Program<'claim'> = (state, { sender, swapId, amount: requested }) => {
  const pending = state.pendingOutputs.get(swapId)
  if (!pending) throw new Refusal('output-unknown')
  if (pending.recipient !== sender) throw new Refusal('not-recipient')
  const amount = requested ?? pending.amountRemaining
  if (amount <= 0n) throw new Refusal('amount-not-positive')
  if (amount > pending.amountRemaining) throw new Refusal('claim-too-high')
  const amountRemaining = pending.amountRemaining - amount
  if (amountRemaining === 0n) removeEntry(state.journal, state.pendingOutputs, swapId)
  else setFields(state.journal, pending, { amountRemaining })
  return [
    { kind: 'outputClaimed', swapId, recipient: sender, amount, amountRemaining },
    changeBalance(state, sender, pending.tokenId, amount),
  ]
}

type Execution = { pool: ChainPool; swap: Swap; tokenOut: string; amountIn: bigint; amountOut: bigint }

/** Computes every hop before applying the first: pools are distinct, so no hop depends on another. */
function computeHops(state: ChainState, { tokenIn, pools, amountIn }: SwapTransaction): Execution[] {
  if (state.configuration.paused) throw new Refusal('trading-paused')
  if (pools.length < 1 || pools.length > LIMITS.routeHopsMax) throw new Refusal('hops-out-of-range')
  if (pools.length > 1 && new Set(pools).size < pools.length) throw new Refusal('pool-twice')
  if (amountIn <= 0n) throw new Refusal('amount-not-positive')
  const executions: Execution[] = []
  let tokenHeld = tokenIn
  let amountHeld = amountIn
  for (const key of pools) {
    const execution = computeHop(state, requirePool(state, key), tokenHeld, amountHeld)
    executions.push(execution)
    tokenHeld = execution.tokenOut
    amountHeld = execution.amountOut
  }
  return executions
}

function computeHop(state: ChainState, pool: ChainPool, tokenIn: string, amountIn: bigint): Execution {
  requireTradable(state, pool)
  if (tokenIn !== pool.token0 && tokenIn !== pool.token1) throw new Refusal('token-not-in-pool')
  const zeroForOne = tokenIn === pool.token0
  const computed = computeSwap(pool.amm, { zeroForOne, amountSpecified: amountIn })
  const [amountTaken, amountOut] = zeroForOne
    ? [computed.amount0, -computed.amount1]
    : [computed.amount1, -computed.amount0]
  if (amountTaken !== amountIn || amountOut <= 0n) throw new Refusal('liquidity-too-low')
  return { pool, swap: computed, tokenOut: zeroForOne ? pool.token1 : pool.token0, amountIn, amountOut }
}

function applyHop({ journal }: ChainState, { pool, swap: computed }: Execution, timeS: number): void {
  rememberSwap(journal, pool.amm, computed, timeS)
  applySwap(pool.amm, computed, timeS)
  rememberFields(journal, pool, { balance0: pool.balance0, balance1: pool.balance1 })
  pool.balance0 += computed.amount0
  pool.balance1 += computed.amount1
}

// Without a spread, which takes five times as long: every swap runs this.
function toHop({ pool, swap: computed, amountIn, amountOut }: Execution): SwapHop {
  return {
    pool: pool.key,
    zeroForOne: computed.zeroForOne,
    amountIn,
    amountOut,
    amount0: computed.amount0,
    amount1: computed.amount1,
    sqrtPriceX96: computed.sqrtPriceX96,
    tick: computed.tick,
    liquidity: computed.liquidity,
    feeGrowthGlobalX128: computed.feeGrowthGlobalX128,
    protocolFee: computed.protocolFee,
    crossed: computed.crossed,
  }
}
