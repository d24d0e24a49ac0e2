import { expect, test } from 'vitest'
import { getBalance } from './ledger.ts'
import {
  ADMIN,
  ALICE,
  buildPoolKey,
  configure,
  createTestChain,
  FUNDS,
  poolTransactions,
  swapTransaction,
  tokenId,
} from './test-chain.ts'
import { CONFIG_SCOPES, type Transaction } from './transaction.ts'

function tradingChain() {
  const chain = createTestChain(['A', 'B', 'C', 'D', 'E'])
  for (const [a, b] of ['AB', 'BC', 'CD', 'DE'].map((pair) => [...pair]))
    chain.mine(...poolTransactions(a ?? '', b ?? ''))
  return chain
}

test('a swap pays at once and holds its output until it is claimed', () => {
  const chain = tradingChain()
  const [swapped] = chain.mine(swapTransaction(['A', 'B'], 1_000_000n))
  const [pending] = [...chain.state.pendingOutputs.values()]
  expect(swapped?.refused).toBeNull()
  // 997,000 after the fee, against 10^12 of either: whitepaper (6.15) and (6.13) rounded down twice.
  expect(pending).toMatchObject({ recipient: ALICE, tokenId: tokenId('B'), amountRemaining: 996_999n })
  expect(getBalance(chain.state, ALICE, tokenId('A'))).toBe(FUNDS - 1_000_000n)
  expect(getBalance(chain.state, ALICE, tokenId('B'))).toBe(FUNDS)

  const claim: Transaction = { kind: 'claim', sender: ALICE, swapId: pending?.swapId ?? '' }
  const [claimed, again] = chain.mine(claim, claim)
  expect([claimed?.refused, again?.refused]).toEqual([null, 'output-unknown'])
  expect(getBalance(chain.state, ALICE, tokenId('B'))).toBe(FUNDS + 996_999n)
})

test('an output is claimed in parts, never more than remains, and only by its recipient', () => {
  const chain = tradingChain()
  chain.mine(swapTransaction(['A', 'B'], 1_000_000n))
  const swapId = [...chain.state.pendingOutputs.keys()][0] ?? ''
  const claim = (amount: bigint, sender = ALICE): Transaction => ({ kind: 'claim', sender, swapId, amount })
  const receipts = chain.mine(
    claim(1n, ADMIN),
    claim(0n),
    claim(996_000n),
    claim(1_000n),
    claim(999n),
    claim(1n),
  )
  expect(receipts.map(({ refused }) => refused)).toEqual([
    'not-recipient',
    'amount-not-positive',
    null,
    'claim-too-high',
    null,
    'output-unknown',
  ])
  expect(getBalance(chain.state, ALICE, tokenId('B'))).toBe(FUNDS + 996_999n)
})

test('three hops pass each output on', () => {
  const chain = tradingChain()
  const [receipt] = chain.mine(swapTransaction(['A', 'B', 'C', 'D'], 1_000_000n))
  const event = receipt?.events.find(({ kind }) => kind === 'swapExecuted')
  if (event?.kind !== 'swapExecuted') throw new Error('the swap was refused')
  expect(event.hops).toHaveLength(3)
  expect(event.hops.slice(1).map(({ amountIn }) => amountIn)).toEqual(
    event.hops.slice(0, 2).map(({ amountOut }) => amountOut),
  )
  expect(event.amountOut).toBe(event.hops[2]?.amountOut)
})

const swap = swapTransaction(['A', 'B'], 1000n)
const REFUSED: readonly [string, Transaction][] = [
  ['hops-out-of-range', swapTransaction(['A', 'B', 'C', 'D', 'E'], 1000n)],
  ['hops-out-of-range', { ...swap, pools: [] }],
  ['pool-twice', { ...swap, pools: [buildPoolKey('A', 'B'), buildPoolKey('A', 'B')] }],
  ['pool-unknown', { ...swap, pools: ['1field'] }],
  ['token-not-in-pool', { ...swap, tokenIn: tokenId('D') }],
  ['amount-not-positive', { ...swap, amountIn: 0n }],
  ['amount-not-positive', { ...swap, amountIn: -5n }],
  ['balance-too-low', { ...swap, amountIn: FUNDS + 1n }],
  ['output-below-minimum', { ...swap, amountOutMin: 1001n }],
  ['liquidity-too-low', { ...swap, amountIn: 1n }],
  ['output-unknown', { kind: 'claim', sender: ALICE, swapId: '1field' }],
  ['not-administrator', { ...configure('pause', 'all'), sender: ALICE } as Transaction],
  ['not-administrator', { kind: 'mintToken', sender: ALICE, tokenId: tokenId('A'), shares: [] }],
  ['pool-exists', poolTransactions('B', 'A')[0] as Transaction],
  ['pair-invalid', poolTransactions('A', 'A')[0] as Transaction],
  ['balance-too-low', { ...poolTransactions('A', 'B', FUNDS)[1], sender: 'bw1poor' } as Transaction],
]

test.each(REFUSED)('refuses (%s) and changes nothing: %o', (reason, transaction) => {
  const chain = tradingChain()
  const before = snapshot(chain.state)
  const [receipt] = chain.mine(transaction)
  expect(receipt).toMatchObject({ refused: reason, events: [] })
  expect(snapshot(chain.state)).toEqual(before)
})

test('a pause stops swaps, a second one resumes them', () => {
  const chain = tradingChain()
  const refusals = [configure('pause', 'all'), swap, configure('pause', 'all'), swap].map(
    (transaction) => chain.mine(transaction)[0]?.refused,
  )
  expect(refusals).toEqual([null, 'trading-paused', null, null])
})

test('a pause of one pool stops only that pool', () => {
  const chain = tradingChain()
  chain.mine(configure('pause', buildPoolKey('A', 'B')))
  const receipts = chain.mine(swap, swapTransaction(['B', 'C'], 1000n))
  expect(receipts.map(({ refused }) => refused)).toEqual(['pool-disabled', null])
})

test('gated pool creation is reserved to the administrator', () => {
  const chain = tradingChain()
  chain.mine(configure('pool_creation', 'gate'))
  const [create] = poolTransactions('A', 'C')
  const receipts = chain.mine(create as Transaction, { ...create, sender: ADMIN } as Transaction)
  expect(receipts.map(({ refused }) => refused)).toEqual(['pool-creation-gated', null])
})

test.each(CONFIG_SCOPES)('a change of %s raises the revision by one', (scope) => {
  const chain = tradingChain()
  const { revision } = chain.state.configuration
  chain.mine(configure(scope, 'any'), configure(scope, 'other'))
  expect(chain.state.configuration.revision).toBe(revision + 2)
})

test('adds a fee tier once', () => {
  const chain = tradingChain()
  chain.mine(configure('fee_tiers', '500/10'), configure('fee_tiers', '500/20'))
  expect(chain.state.configuration.feeTiers).toMatchObject([
    { feePips: 3000, tickSpacing: 60 },
    { feePips: 500, tickSpacing: 10, createdAtMs: 300_000 },
  ])
})

test('each block names its parent, and its hash covers its whole contents', () => {
  const { blocks } = tradingChain()
  expect(blocks.slice(1).map(({ parentHash }) => parentHash)).toEqual(
    blocks.slice(0, -1).map(({ hash }) => hash),
  )
  expect(new Set(blocks.map(({ hash }) => hash)).size).toBe(blocks.length)
  expect(tradingChain().blocks).toEqual(blocks)
})

test('two identical transactions have distinct ids', () => {
  const chain = tradingChain()
  const [first, second] = chain.mine(swap, swap)
  expect(first?.id).toMatch(/^at1[02-9ac-hj-np-z]{58}$/)
  expect(first?.id).not.toBe(second?.id)
})

function snapshot(state: object): object {
  return structuredClone({
    ...state,
    height: 0,
    timeMs: 0,
    hash: '',
    eventLogHash: '',
    nonces: null,
    journal: null,
  })
}
