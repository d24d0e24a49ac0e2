import fc from 'fast-check'
import { expect, test } from 'vitest'
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
import type { Transaction } from './transaction.ts'
import { transactionText } from './transaction-text.ts'

const anyGrant = fc.record({ tokenId: anyText, amount: anyAmount })
const ofPosition = { sender: anyText, position: anyText }
const withLiquidity = fc.record({ ...ofPosition, liquidity: anyAmount })

const ANY: AnyByKind<Transaction> = {
  registerToken: fc.record({ sender: anyText, token: anyToken }),
  mintToken: fc.record({
    sender: anyText,
    tokenId: anyText,
    shares: fc.array(fc.record({ recipient: anyText, amount: anyAmount }), { maxLength: 3 }),
  }),
  createPool: fc.record({
    sender: anyText,
    tokenA: anyText,
    tokenB: anyText,
    feePips: anyInteger,
    sqrtPriceX96: anyAmount,
  }),
  mintPosition: fc.record({
    sender: anyText,
    pool: anyText,
    tickLower: anyInteger,
    tickUpper: anyInteger,
    liquidity: anyAmount,
    isPrivate: anyFlag,
  }),
  increasePosition: withLiquidity,
  burnPosition: withLiquidity,
  collectPosition: fc.record({ ...ofPosition, amount0Max: anyAmount, amount1Max: anyAmount }),
  freezePosition: fc.record(ofPosition),
  unfreezePosition: fc.record(ofPosition),
  swap: fc.record({
    sender: anyText,
    recipient: anyText,
    tokenIn: anyText,
    pools: fc.array(anyText, { maxLength: 3 }),
    amountIn: anyAmount,
    amountOutMin: anyAmount,
    isPrivate: anyFlag,
  }),
  claim: fc.record(
    { sender: anyText, swapId: anyText, amount: anyAmount },
    { requiredKeys: ['sender', 'swapId'] },
  ),
  collectProtocol: fc.record({
    sender: anyText,
    pool: anyText,
    recipient: anyText,
    amount0Max: anyAmount,
    amount1Max: anyAmount,
  }),
  changeConfig: fc.record({ sender: anyText, change: anyConfigChange }),
  setFaucet: fc.record({ sender: anyText, grants: fc.tuple(anyGrant, anyGrant, anyGrant) }),
  claimFaucet: fc.record({ sender: anyText, recipient: anyText }),
}

test('two transactions of a kind have one text where they are the same, whichever field differs', () => {
  expectKindsToTellApart(transactionText, ANY)
})

test('two kinds never have one text', () => {
  const move = { sender: 'bw1alice', position: '1field' }
  expect(transactionText({ kind: 'freezePosition', ...move })).not.toBe(
    transactionText({ kind: 'unfreezePosition', ...move }),
  )
})
