import fc from 'fast-check'
import { test } from 'vitest'
import type { ChainEvent } from './event.ts'
import { eventText } from './event-text.ts'
import {
  type AnyByKind,
  anyAmount,
  anyConfigChange,
  anyFlag,
  anyInteger,
  anyText,
  anyToken,
  expectKindsToTellApart,
} from './test-text.ts'

const few = { maxLength: 2 }
const amounts = { amount0: anyAmount, amount1: anyAmount }
const poolAfter = { sqrtPriceX96: anyAmount, tick: anyInteger, liquidity: anyAmount }

const anyHop = fc.record({
  pool: anyText,
  amountIn: anyAmount,
  amountOut: anyAmount,
  zeroForOne: anyFlag,
  ...amounts,
  ...poolAfter,
  feeGrowthGlobalX128: anyAmount,
  protocolFee: anyAmount,
  crossed: fc.array(fc.record({ tick: anyInteger, feeGrowthGlobalX128: anyAmount }), few),
})

const anyConfiguration = fc.record({
  revision: anyInteger,
  paused: anyFlag,
  poolCreation: fc.constantFrom<'open' | 'gated'>('open', 'gated'),
  allowlistEnabled: anyFlag,
  feeTiers: fc.array(
    fc.record({
      feePips: anyInteger,
      tickSpacing: anyInteger,
      createdAtMs: anyInteger,
      transaction: anyText,
    }),
    few,
  ),
})

const ANY: AnyByKind<ChainEvent> = {
  tokenRegistered: fc.record({ token: anyToken }),
  tokenMinted: fc.record({ tokenId: anyText, amount: anyAmount }),
  balanceChanged: fc.record({ address: anyText, tokenId: anyText, delta: anyAmount, balance: anyAmount }),
  poolCreated: fc.record({
    pool: anyText,
    token0: anyText,
    token1: anyText,
    feePips: anyInteger,
    tickSpacing: anyInteger,
    ...poolAfter,
  }),
  positionOpened: fc.record({
    position: anyText,
    owner: anyText,
    pool: anyText,
    tickLower: anyInteger,
    tickUpper: anyInteger,
    isPrivate: anyFlag,
  }),
  liquidityChanged: fc.record({
    position: anyText,
    pool: anyText,
    liquidityDelta: anyAmount,
    ...amounts,
    ...poolAfter,
  }),
  positionCollected: fc.record({ position: anyText, pool: anyText, ...amounts, closed: anyFlag }),
  positionFrozen: fc.record({ position: anyText, frozenAtMs: fc.option(anyInteger) }),
  swapExecuted: fc.record({
    swapId: anyText,
    user: anyText,
    recipient: anyText,
    tokenIn: anyText,
    tokenOut: anyText,
    amountIn: anyAmount,
    amountOut: anyAmount,
    isPrivate: anyFlag,
    nonce: anyText,
    hops: fc.array(anyHop, few),
  }),
  outputClaimed: fc.record({
    swapId: anyText,
    recipient: anyText,
    amount: anyAmount,
    amountRemaining: anyAmount,
  }),
  poolEnabled: fc.record({ pool: anyText, enabled: anyFlag }),
  protocolFeeSet: fc.record({ pool: anyText, feeProtocol0: anyInteger, feeProtocol1: anyInteger }),
  protocolCollected: fc.record({ pool: anyText, recipient: anyText, ...amounts }),
  pairPaused: fc.record({ pair: anyText, paused: anyFlag }),
  tokenListed: fc.record({ tokenId: anyText, listed: anyFlag }),
  pairListed: fc.record({ pair: anyText, listed: anyFlag }),
  configChanged: fc.record({ configuration: anyConfiguration, changes: fc.array(anyConfigChange, few) }),
  faucetClaimed: fc.record({
    recipient: anyText,
    records: fc.array(fc.record({ id: anyText, tokenId: anyText, amount: anyAmount }), few),
  }),
}

test('two events of a kind have one text where they are the same, whichever field differs', () => {
  expectKindsToTellApart(eventText, ANY)
})
