import { expect, test } from 'vitest'
import { getBalance, owedNow, toPositionRange } from '../ledger.ts'
import {
  ADMIN,
  ALICE,
  buildPoolKey,
  configure,
  createTestChain,
  FUNDS,
  poolTransactions,
  swapTransaction,
  type TestChain,
  tokenId,
} from '../test-chain.ts'
import type { Transaction } from '../transaction.ts'

const ALL = (1n << 128n) - 1n
const key = buildPoolKey('A', 'B')
const mint = (part: Partial<Extract<Transaction, { kind: 'mintPosition' }>> = {}): Transaction => ({
  kind: 'mintPosition',
  sender: ALICE,
  pool: key,
  tickLower: -600,
  tickUpper: 600,
  liquidity: 10n ** 12n,
  isPrivate: false,
  ...part,
})
const collect = (position: string, max = ALL): Transaction => ({
  kind: 'collectPosition',
  sender: ALICE,
  position,
  amount0Max: max,
  amount1Max: max,
})
const burn = (position: string, liquidity: bigint): Transaction => ({
  kind: 'burnPosition',
  sender: ALICE,
  position,
  liquidity,
})

/** A pool at a price of 1 with ADMIN's position over all prices, and one of ALICE's around the price. */
function providing(): { chain: TestChain; id: string } {
  const chain = createTestChain(['A', 'B'])
  chain.mine(...poolTransactions('A', 'B'))
  chain.mine(mint())
  const [id = ''] = chain.state.positionsByOwner.get(ALICE) ?? []
  return { chain, id }
}

const wallet = ({ state }: TestChain) => ['A', 'B'].map((symbol) => getBalance(state, ALICE, tokenId(symbol)))

test('costs the amounts of the range at the price, equal at its middle', () => {
  const { chain } = providing()
  // 10^12 × (1 − 1.0001^−300), rounded up: whitepaper (6.29), (6.30).
  const paid = FUNDS - (wallet(chain)[0] ?? 0n)
  expect(Number(paid)).toBeCloseTo(1e12 * (1 - 1.0001 ** -300), -1)
  expect(wallet(chain)).toEqual([FUNDS - paid, FUNDS - paid])
  expect(chain.state.pools.get(key)).toMatchObject({
    balance0: 10n ** 12n + paid,
    balance1: 10n ** 12n + paid,
  })
})

test('two positions over one range are separate', () => {
  const { chain } = providing()
  chain.mine(mint({ isPrivate: true }))
  const ids = [...(chain.state.positionsByOwner.get(ALICE) ?? [])]
  expect(ids.map((id) => chain.state.positions.get(id)?.isPrivate)).toEqual([false, true])
  expect(chain.state.pools.get(key)?.amm.positions.size).toBe(3)
})

test('fees are owed by share of liquidity, paid once, up to the requested amount', () => {
  const { chain, id } = providing()
  chain.mine(swapTransaction(['A', 'B'], 1_000_000n))
  const pool = chain.state.pools.get(key)
  const position = chain.state.positions.get(id)
  if (!pool || !position) throw new Error('expected an opened position')
  const { owed0, owed1 } = owedNow(pool.amm, toPositionRange(position))
  // 0.3% of a million, half of it: both positions have the same liquidity in range. Rounded down.
  expect(owed0 + owed1).toBe(1_499n)
  const before = wallet(chain)
  const refusals = chain.mine(collect(id, 1_000n), collect(id), collect(id)).map(({ refused }) => refused)
  expect(refusals).toEqual([null, null, 'nothing-owed'])
  const gained = wallet(chain).map((amount, index) => amount - (before[index] ?? 0n))
  expect(gained.reduce((sum, amount) => sum + amount, 0n)).toBe(1_499n)
})

test('mint, burn and collect never profit, and close the position', () => {
  const { chain, id } = providing()
  const receipts = chain.mine(burn(id, 10n ** 12n), collect(id))
  expect(receipts.map(({ refused }) => refused)).toEqual([null, null])
  // Rounded up on the way in, down on the way out.
  expect(wallet(chain)).toEqual([FUNDS - 1n, FUNDS - 1n])
  expect(chain.state.positions.has(id)).toBe(false)
  expect(chain.state.positionsByOwner.get(ALICE)).toEqual(new Set())
  expect(chain.mine(collect(id))[0]?.refused).toBe('position-unknown')
})

test('a burned part is owed until collected, and stays in the pool until then', () => {
  const { chain, id } = providing()
  const before = { ...chain.state.pools.get(key) }
  const [receipt] = chain.mine(burn(id, 10n ** 11n))
  expect(receipt?.events).toMatchObject([{ kind: 'liquidityChanged', liquidityDelta: -(10n ** 11n) }])
  expect(chain.state.pools.get(key)).toMatchObject({ balance0: before.balance0, balance1: before.balance1 })
  chain.mine(collect(id))
  expect(chain.state.pools.get(key)?.balance0).toBeLessThan(before.balance0 ?? 0n)
  expect(chain.state.positions.has(id)).toBe(true)
})

test('a frozen position can be neither increased, burned nor collected until unfrozen', () => {
  const { chain, id } = providing()
  const increase: Transaction = { kind: 'increasePosition', sender: ALICE, position: id, liquidity: 5n }
  const moves = [increase, burn(id, 1n), collect(id)]
  chain.mine(swapTransaction(['A', 'B'], 1_000_000n))
  chain.mine({ kind: 'freezePosition', sender: ADMIN, position: id })
  expect(chain.state.positions.get(id)?.frozenAtMs).toBe(240_000)
  const frozen = Array(3).fill('position-frozen')
  expect(chain.mine(...moves).map(({ refused }) => refused)).toEqual(frozen)
  chain.mine({ kind: 'unfreezePosition', sender: ADMIN, position: id })
  expect(chain.state.positions.get(id)?.frozenAtMs).toBeNull()
  expect(chain.mine(...moves).map(({ refused }) => refused)).toEqual([null, null, null])
})

const OTHER = 'bw1other'
test.each<[string, (id: string) => Transaction]>([
  ['pool-unknown', () => mint({ pool: '1field' })],
  ['amount-not-positive', () => mint({ liquidity: 0n })],
  ['balance-too-low', () => mint({ liquidity: 10n ** 20n })],
  ['amm.T', () => mint({ tickLower: -601 })],
  ['amm.TLU', () => mint({ tickLower: 600 })],
  ['amm.LS', (id) => burn(id, 10n ** 12n + 1n)],
  ['position-unknown', () => burn('1field', 1n)],
  ['not-owner', (id) => ({ ...burn(id, 1n), sender: OTHER })],
  ['not-owner', (id) => ({ ...collect(id), sender: ADMIN })],
  ['amount-not-positive', (id) => collect(id, -1n)],
  ['nothing-owed', (id) => collect(id)],
  ['not-administrator', (id) => ({ kind: 'freezePosition', sender: ALICE, position: id })],
  ['position-not-frozen', (id) => ({ kind: 'unfreezePosition', sender: ADMIN, position: id })],
])('refuses (%s) and changes nothing', (reason, transaction) => {
  const { chain, id } = providing()
  const before = structuredClone([chain.state.pools, chain.state.positions, chain.state.balances])
  const [receipt] = chain.mine(transaction(id))
  expect(receipt).toMatchObject({ refused: reason, events: [] })
  expect([chain.state.pools, chain.state.positions, chain.state.balances]).toEqual(before)
})

test('while trading is barred no one adds liquidity, and everyone can withdraw', () => {
  const { chain, id } = providing()
  chain.mine(configure('pause', 'all'))
  const receipts = chain.mine(mint(), burn(id, 10n ** 12n), collect(id))
  expect(receipts.map(({ refused }) => refused)).toEqual(['trading-paused', null, null])
})
