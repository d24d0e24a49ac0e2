import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Block, blockText, eventText, NO_HASH, sealBlock } from './block.ts'
import {
  type AnyByKind,
  anyAmount,
  anyConfigChange,
  anyFlag,
  anyInteger,
  anyText,
  anyToken,
  expectDistinguishes,
  expectDistinguishesKinds,
} from './test-text.ts'
import type { ChainEvent } from './transaction.ts'

const anyReceipt = fc.record({
  id: anyText,
  sender: anyText,
  kind: fc.constantFrom('swap' as const, 'claim' as const),
  refused: fc.constantFrom(null, 'pool-unknown' as const, 'amm.LS' as const),
  events: fc.array(
    fc.record({ kind: fc.constant('tokenListed' as const), tokenId: anyText, listed: fc.boolean() }),
    { maxLength: 2 },
  ),
})

test('two blocks have the same text only if their contents are equal', () => {
  expectDistinguishes(
    blockText,
    fc.record({
      height: anyInteger,
      parentHash: anyText,
      timeMs: anyInteger,
      receipts: fc.array(anyReceipt, { maxLength: 2 }),
    }),
  )
})

test('the event log’s hash is chained from block to block', () => {
  const block: Omit<Block, 'hash'> = { height: 0, parentHash: NO_HASH, timeMs: 0, receipts: [] }
  const first = sealBlock(block, NO_HASH)
  // sha256 of the text, and of the previous hash with it, computed with coreutils' sha256sum.
  expect(first.block.hash).toBe('08ceb9bd6186c03001b5fe77c80736f08b1c324e171141c00d295650cc9553d5')
  expect(first.eventLogHash).toBe('a18ffe92f5588753de47f2326de4a6c5396eedf511cdf389220a189ea592cbe5')
  expect(sealBlock(block, first.eventLogHash).eventLogHash).not.toBe(first.eventLogHash)
})

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

test('two events of a kind have the same text only if they are equal, whichever field differs', () => {
  expectDistinguishesKinds(eventText, ANY)
})
