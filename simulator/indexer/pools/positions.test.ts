import { expect, test } from 'vitest'
import { ADMIN, ALICE, buildPoolKey, configure, swapTransaction, tokenId } from '../../chain/test-chain.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { createTestIndex } from '../test-index.ts'

const ALL = (1n << 128n) - 1n
const key = buildPoolKey('USD', 'A')
const page = { limit: 10, offset: 0 }
const small = () => createTestIndex({ symbols: ['USD', 'A', 'B'], pools: [['USD', 'A']] })
const mint = (isPrivate: boolean): Transaction => ({
  kind: 'mintPosition',
  sender: ALICE,
  pool: key,
  tickLower: -600,
  tickUpper: 600,
  liquidity: 10n ** 12n,
  isPrivate,
})

test('a private position is visible only to its owner', () => {
  const { views, step } = small()
  step(mint(false), mint(true))
  const seenBy = (viewer: string | null) =>
    views.positions({ address: ALICE, viewer, ...page }).rows.map(({ isPrivate }) => isPrivate)
  expect(seenBy(ALICE)).toEqual([false, true])
  expect(seenBy(null)).toEqual([false])
  expect(seenBy(ADMIN)).toEqual([false])
  expect(views.positions({ address: ALICE, viewer: null, ...page }).total).toBe(1)
  expect(views.positions({ address: ALICE, viewer: ALICE, limit: 1, offset: 1 }).rows).toHaveLength(1)
})

test('a position is found by its id, only by its owner, private or not', () => {
  const { views, step } = small()
  step(mint(false), mint(true))
  for (const found of views.positions({ address: ALICE, viewer: ALICE, ...page }).rows) {
    expect(views.position({ address: ALICE, id: found.id })).toEqual(found)
    expect(views.position({ address: ADMIN, id: found.id })).toBeUndefined()
  }
  expect(views.position({ address: ALICE, id: '1field' })).toBeUndefined()
})

test('the amounts of a position are what its owner gets when it is burned', () => {
  const { views, step } = small()
  step(mint(false))
  step(swapTransaction(['USD', 'A'], 5_000_000_000n))
  const position = () => views.positions({ address: ALICE, viewer: ALICE, ...page }).rows[0]
  const before = position()
  step({ kind: 'burnPosition', sender: ALICE, position: before?.id ?? '', liquidity: 10n ** 12n })
  const after = position()
  expect(after).toMatchObject({ liquidity: 0n, amount0: 0n, amount1: 0n })
  for (const [amount, owed] of [
    ['amount0', 'tokensOwed0'],
    ['amount1', 'tokensOwed1'],
  ] as const) {
    expect(before?.[amount]).toBeGreaterThan(0n)
    expect(after?.[owed]).toBe((before?.[amount] ?? 0n) + (before?.[owed] ?? 0n))
  }
})

test('fees owed grow with the swaps, are listed with unclaimed amounts, and are reset when collected', () => {
  const { views, step } = small()
  step(mint(false))
  const owed = () => views.unclaimed({ address: ALICE, viewer: ALICE }).positionsWithOwed
  expect(owed()).toEqual([])
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  const [position] = owed()
  // Half of 0.3 % of a million, rounded down.
  expect((position?.tokensOwed0 ?? 0n) + (position?.tokensOwed1 ?? 0n)).toBe(1_499n)
  expect(position).toMatchObject({ owner: ALICE, pool: { key }, tickLower: -600, liquidity: 10n ** 12n })
  const id = position?.id ?? ''
  step({ kind: 'collectPosition', sender: ALICE, position: id, amount0Max: ALL, amount1Max: ALL })
  expect(owed()).toEqual([])
  const [after] = views.positions({ address: ALICE, viewer: ALICE, ...page }).rows
  expect(after?.lastTransaction).not.toBe(position?.lastTransaction)
})

test('reports since when a position is frozen', () => {
  const { views, step } = small()
  step(mint(false))
  const position = () => views.positions({ address: ALICE, viewer: ALICE, ...page }).rows[0]
  step({ kind: 'freezePosition', sender: ADMIN, position: position()?.id ?? '' })
  expect(position()?.frozenAtMs).toBe(views.head().timeMs)
  step({ kind: 'unfreezePosition', sender: ADMIN, position: position()?.id ?? '' })
  expect(position()?.frozenAtMs).toBeNull()
})

test('a partial claim leaves the rest pending; only the last claim completes the swap', () => {
  const { views, step } = small()
  step({ ...swapTransaction(['USD', 'A'], 1_000_000n), isPrivate: true })
  const pending = () => views.unclaimed({ address: ALICE, viewer: ALICE }).pendingSwaps
  const [swap] = pending()
  const swapId = swap?.swapId ?? ''
  expect(swap).toMatchObject({ isPrivate: true, amountRemaining: 996_999n })
  expect(views.unclaimed({ address: ALICE, viewer: null }).pendingSwaps).toEqual([])
  step({ kind: 'claim', sender: ALICE, swapId, amount: 999n })
  expect(pending()).toMatchObject([{ amountRemaining: 996_000n, claimTx: null, claimedAtMs: null }])
  step({ kind: 'claim', sender: ALICE, swapId })
  expect(pending()).toEqual([])
  expect(views.swaps({ ...page, viewer: ALICE }).rows[0]).toMatchObject({
    amountRemaining: 0n,
    claimedAtMs: views.head().timeMs,
  })
})

test('trades of a pool are its swaps, mints and burns, newest first', () => {
  const { views, step } = small()
  step(mint(false))
  const id = views.positions({ address: ALICE, viewer: ALICE, ...page }).rows[0]?.id ?? ''
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  const { trades } = step({ kind: 'burnPosition', sender: ALICE, position: id, liquidity: 10n ** 11n })
  const { rows, total } = views.trades({ pool: key, ...page })
  expect(rows.map(({ kind }) => kind)).toEqual(['burn', 'swap', 'mint', 'mint'])
  expect(total).toBe(4)
  expect([rows[0]]).toEqual(trades)
  expect(rows[0]?.amount0).toBeLessThan(0n)
  expect(views.trades({ pool: key, limit: 1, offset: 1 }).rows[0]?.kind).toBe('swap')
  expect(views.trades({ pool: '1field', ...page })).toEqual({ rows: [], total: 0 })
})

test('balances match the chain', () => {
  const { chain, views, step } = small()
  step(mint(false), swapTransaction(['USD', 'A'], 1_000_000n))
  const balances = views.balances(ALICE).map(({ token, balance }) => [token.id, balance])
  expect(new Map(balances as [string, bigint][])).toEqual(chain.state.balances.get(ALICE)) // as: mapped to pairs
  expect(views.balances('bw1nobody')).toEqual([])
})

test('compliance and fee tiers are as configured', () => {
  const { views, step } = small()
  const pair = [tokenId('USD'), tokenId('A')]
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .join('/')
  step(
    configure('pause', pair),
    configure('pause', key),
    configure('allowlist', 'enabled'),
    configure('allowlist', tokenId('B')),
    configure('allowlist', pair),
    configure('pool_creation', 'gate'),
    configure('fee_tiers', '500/10'),
  )
  expect(views.compliance()).toEqual({
    paused: false,
    pausedPairs: [pair],
    disabledPools: [key],
    poolCreation: 'gated',
    allowlistEnabled: true,
    allowedTokens: [tokenId('USD'), tokenId('A')],
    allowedPairs: [pair],
  })
  const tiers = views.feeTiers().map(({ id, feePips, tickSpacing }) => [id, feePips, tickSpacing])
  expect(tiers).toEqual([
    ['tier-3000', 3000, 60],
    ['tier-500', 500, 10],
  ])
})

test.each([
  ['a pause of the pair', [configure('pause', `${tokenId('USD')}/${tokenId('A')}`)]],
  ['an allowlist without it', [configure('allowlist', 'enabled'), configure('allowlist', tokenId('A'))]],
  ['the pool disabled', [configure('pause', key)]],
])('there is no route with %s', (_, changes) => {
  const { views, step } = small()
  const route = () =>
    views.route({ tokenIn: tokenId('USD'), tokenOut: tokenId('A'), amountIn: 1000n, hopsMax: 3 })
  expect(route()).toBeDefined()
  step(...changes)
  expect(route()).toBeUndefined()
})
