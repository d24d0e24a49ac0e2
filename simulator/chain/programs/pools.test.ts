import { expect, test } from 'vitest'
import { observe } from '../../amm/oracle.ts'
import { getBalance } from '../ledger.ts'
import {
  ADMIN,
  ALICE,
  buildPoolKey,
  configure,
  createTestChain,
  poolTransactions,
  swapTransaction,
  type TestChain,
} from '../test-chain.ts'
import type { Transaction } from '../transaction.ts'

test('a pool’s oracle starts with it, advances with the blocks’ time in whole seconds, and remembers 64 of them', () => {
  const chain = createTestChain(['A', 'B'])
  const [create, mint] = poolTransactions('A', 'B')
  if (!create || !mint) throw new Error('expected two transactions')
  chain.mine(create, mint)
  const amm = chain.state.pools.get(buildPoolKey('A', 'B'))?.amm ?? expect.fail()
  const timesS = () => amm.oracle.observations.map(({ timeS }) => timeS)
  expect(timesS()).toEqual([60])
  chain.mine(swapTransaction(['A', 'B'], 10n ** 9n))
  const { tick } = amm
  expect(tick).not.toBe(0)
  chain.mine(mint)
  const position = [...chain.state.positions.keys()][0] ?? ''
  chain.mine({ kind: 'burnPosition', sender: ADMIN, position, liquidity: 1n })
  expect(timesS()).toEqual([60, 120, 180, 240])
  const [ended, began] = observe(amm, [0, 120], 240)
  expect(began?.tickCumulative).toBe(0n)
  expect(ended?.tickCumulative).toBe(BigInt(tick * 120))
  for (let block = 0; block < 80; block++) {
    const symbols = block % 2 === 0 ? ['A', 'B'] : ['B', 'A']
    chain.mine(swapTransaction(symbols, 10n ** 9n))
  }
  expect(timesS()).toHaveLength(64)
})

const POOL = buildPoolKey('A', 'B')
const ALL = (1n << 128n) - 1n
const RECIPIENT = 'bw1treasury'

function chainWithFee(key: string): TestChain {
  const chain = createTestChain(['A', 'B'])
  chain.mine(...poolTransactions('A', 'B'))
  chain.mine(configure('protocol_fee', key))
  return chain
}

function getPool({ state }: TestChain) {
  return state.pools.get(POOL) ?? expect.fail()
}

const collect = (fields: Partial<Extract<Transaction, { kind: 'collectProtocol' }>> = {}): Transaction => ({
  kind: 'collectProtocol',
  sender: ADMIN,
  pool: POOL,
  recipient: RECIPIENT,
  amount0Max: ALL,
  amount1Max: ALL,
  ...fields,
})

test('the protocol gets its part of the fees, the positions get the rest as before', () => {
  const [plain, shared] = [chainWithFee('none'), chainWithFee(`${POOL}/4/10`)]
  for (const chain of [plain, shared])
    chain.mine(swapTransaction(['A', 'B'], 10n ** 9n), swapTransaction(['B', 'A'], 10n ** 9n))
  // 0.3% of the input: 3,000,000 units, of which a fourth of token0's and a tenth of token1's.
  const { protocolFees0, protocolFees1, feeGrowthGlobal0X128, feeGrowthGlobal1X128 } = getPool(shared).amm
  expect([protocolFees0, protocolFees1]).toEqual([750_000n, 300_000n])
  const whole = getPool(plain).amm
  // Each growth is rounded down once.
  const missing = [
    whole.feeGrowthGlobal0X128 * 3n - feeGrowthGlobal0X128 * 4n,
    whole.feeGrowthGlobal1X128 * 9n - feeGrowthGlobal1X128 * 10n,
  ]
  for (const rounding of missing) expect(rounding * rounding).toBeLessThanOrEqual(100n)
  expect(getPool(shared)).toMatchObject({
    balance0: getPool(plain).balance0,
    balance1: getPool(plain).balance1,
  })
})

test('a change has an event, raises the revision, and may be reverted', () => {
  const chain = chainWithFee(`${POOL}/4/0`)
  const { revision } = chain.state.configuration
  const [receipt] = chain.mine(configure('protocol_fee', `${POOL}/0/6`))
  expect(receipt?.events).toMatchObject([
    {
      kind: 'configChanged',
      configuration: { revision: revision + 1 },
      changes: [{ scope: 'protocol_fee' }],
    },
    { kind: 'protocolFeeSet', pool: POOL, feeProtocol0: 0, feeProtocol1: 6 },
  ])
  expect(getPool(chain).amm).toMatchObject({ feeProtocol0: 0, feeProtocol1: 6 })
})

test.each([
  'all',
  POOL,
  `${POOL}/4`,
  `${POOL}/4/3`,
  `${POOL}/11/4`,
  `${POOL}/4/4/4`,
  `${POOL}/04/4`,
  `${POOL}/+4/4`,
  `${POOL}/4/`,
  `${POOL}//4/4`,
  `${buildPoolKey('A', 'C')}/4/4`,
  '4/4',
])('announces %s and sets nothing', (key) => {
  const chain = chainWithFee(key)
  expect(chain.blocks.at(-1)?.receipts[0]?.events).toMatchObject([
    { kind: 'configChanged', changes: [{ key }] },
  ])
  expect(getPool(chain).amm).toMatchObject({ feeProtocol0: 0, feeProtocol1: 0 })
})

test('collected fees go from the pool to the recipient, except one unit if all are requested', () => {
  const chain = chainWithFee(`${POOL}/4/4`)
  chain.mine(swapTransaction(['A', 'B'], 10n ** 9n), swapTransaction(['B', 'A'], 4n * 10n ** 9n))
  const { token0, token1, balance0, balance1 } = getPool(chain)
  const [part, rest] = chain.mine(collect({ amount0Max: 10n, amount1Max: 0n }), collect())
  expect(part?.events).toEqual([
    { kind: 'protocolCollected', pool: POOL, recipient: RECIPIENT, amount0: 10n, amount1: 0n },
    { kind: 'balanceChanged', address: RECIPIENT, tokenId: token0, delta: 10n, balance: 10n },
  ])
  expect(rest?.events[0]).toMatchObject({ amount0: 749_989n, amount1: 2_999_999n })
  expect([token0, token1].map((token) => getBalance(chain.state, RECIPIENT, token))).toEqual([
    749_999n,
    2_999_999n,
  ])
  expect(getPool(chain)).toMatchObject({
    balance0: balance0 - 749_999n,
    balance1: balance1 - 2_999_999n,
    amm: { protocolFees0: 1n, protocolFees1: 1n },
  })
  expect(chain.mine(collect())[0]?.refused).toBe('nothing-owed')
})

test.each<[string, Transaction]>([
  ['not-administrator', collect({ sender: ALICE })],
  ['pool-unknown', collect({ pool: 'nowhere' })],
  ['nothing-owed', collect({ amount0Max: 0n, amount1Max: 0n })],
  ['amm.overflow', collect({ amount0Max: -1n })],
  ['amm.overflow', collect({ amount1Max: ALL + 1n })],
])('refuses (%s) and changes nothing', (reason, transaction) => {
  const chain = chainWithFee(`${POOL}/4/4`)
  chain.mine(swapTransaction(['A', 'B'], 10n ** 9n))
  const before = structuredClone(getPool(chain))
  expect(chain.mine(transaction)[0]).toMatchObject({ refused: reason, events: [] })
  expect(getPool(chain)).toEqual(before)
})
