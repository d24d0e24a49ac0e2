import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ADMIN,
  ALICE,
  buildPoolKey,
  configure,
  poolTransactions,
  swapTransaction,
  tokenId,
} from '../chain/test-chain.ts'
import { createSmallWorld } from '../world/test-small-world.ts'
import { copyIndexer, copyState, immutableRows } from './indexer.ts'
import { createTestIndex } from './test-index.ts'

const small = () =>
  createTestIndex({
    symbols: ['USD', 'A', 'B', 'LONE'],
    pools: [
      ['USD', 'A'],
      ['A', 'B'],
    ],
  })

test('rejects a block that is not the next', () => {
  const { chain, step } = small()
  chain.mine()
  expect(() => step()).toThrow('expected block 3, got 4')
})

test('pools have the chain’s own figures after every kind of event', () => {
  const { chain, views, step } = small()
  step(swapTransaction(['USD', 'A', 'B'], 5_000_000n), swapTransaction(['B', 'A'], 7_777n))
  step(configure('pause', buildPoolKey('A', 'B')))
  for (const { key, token0, token1, enabled, balance0, balance1, amm } of chain.state.pools.values()) {
    expect(views.pool(key)).toMatchObject({
      enabled,
      balance0,
      balance1,
      sqrtPriceX96: amm.sqrtPriceX96,
      tick: amm.tick,
      liquidity: amm.liquidity,
      token0: { id: token0 },
      token1: { id: token1 },
    })
  }
  expect(views.pool(buildPoolKey('A', 'B'))?.enabled).toBe(false)
})

test('pools page in order of creation', () => {
  const { views } = small()
  const page = (offset: number) => views.pools({ limit: 1, offset })
  expect([page(0), page(1)].map(({ rows }) => rows[0]?.key)).toEqual([
    buildPoolKey('USD', 'A'),
    buildPoolKey('A', 'B'),
  ])
  expect(page(2)).toEqual({ rows: [], total: 2 })
})

test('swaps come newest first, of all pools or of one', () => {
  const { views, step } = small()
  step(swapTransaction(['USD', 'A'], 1001n), swapTransaction(['A', 'B'], 1002n))
  step(swapTransaction(['USD', 'A', 'B'], 1003n))
  const amounts = (query: { pool?: string; limit: number; offset: number }) =>
    views.swaps({ viewer: null, ...query }).rows.map(({ inputAmount }) => inputAmount)
  expect(amounts({ limit: 10, offset: 0 })).toEqual([1003n, 1002n, 1001n])
  expect(amounts({ limit: 1, offset: 1 })).toEqual([1002n])
  expect(amounts({ limit: 10, offset: 0, pool: buildPoolKey('USD', 'A') })).toEqual([1003n, 1001n])
  expect(views.swaps({ viewer: null, limit: 10, offset: 0, pool: '1field' })).toEqual({ rows: [], total: 0 })
  expect(views.swaps({ viewer: null, limit: 10, offset: 3 })).toEqual({ rows: [], total: 3 })
})

test('a claim completes its swap', () => {
  const { views, step } = small()
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  const [pending] = views.swaps({ viewer: null, limit: 1, offset: 0 }).rows
  expect(pending).toMatchObject({ amountRemaining: pending?.outputAmount, claimTx: null, claimedAtMs: null })
  step({ kind: 'claim', sender: ALICE, swapId: pending?.swapId ?? '' })
  const [claimed] = views.swaps({ viewer: null, limit: 1, offset: 0 }).rows
  expect(claimed).toMatchObject({
    amountRemaining: 0n,
    claimTx: expect.stringMatching(/^at1/),
    claimedAtMs: 240_000,
  })
})

test('an update lists what its block changed, each pool once', () => {
  const { views, step } = small()
  const update = step(
    swapTransaction(['USD', 'A'], 1_000_000n),
    swapTransaction(['A', 'USD'], 500_000n),
    configure('fee_tiers', '3000/60'),
    ...poolTransactions('USD', 'B'),
  )
  const [traded, launched] = [buildPoolKey('USD', 'A'), buildPoolKey('USD', 'B')]
  expect(update.block).toEqual(views.head())
  expect(update.launches.map(({ key }) => key)).toEqual([launched])
  expect(update.poolStats).toEqual([views.pool(traded), views.pool(launched)])
  expect(update.trades.map(({ pool, kind }) => [pool, kind])).toEqual([
    [traded, 'swap'],
    [traded, 'swap'],
    [launched, 'mint'],
  ])
  expect(update.candles.map(({ pool, startMs }) => [pool, startMs])).toEqual([[traded, 180_000]])
  expect(update.balanceChanges.map(({ address, token, delta }) => [address, token.symbol, delta])).toEqual([
    [ALICE, 'USD', -1_000_000n],
    [ALICE, 'A', -500_000n],
    [ADMIN, expect.any(String), -1_000_000_000_000n],
    [ADMIN, expect.any(String), -1_000_000_000_000n],
  ])
  expect(update.config).toEqual({
    revision: 3,
    observedBlock: 3,
    changes: [{ scope: 'fee_tiers', key: '3000/60' }],
  })
  expect(views.protocolState()).toMatchObject({ revision: 3, block: 3, paused: false, poolCreation: 'open' })
})

test('trades and their candle agree', () => {
  const { step } = small()
  // Up, down past the start, up again: neither extreme is the last price.
  const { trades, candles } = step(
    swapTransaction(['USD', 'A'], 5_000_000n),
    swapTransaction(['A', 'USD'], 9_000_000n),
    swapTransaction(['USD', 'A'], 3_000_000n),
  )
  const prices = trades.map(({ price }) => price)
  const sum = (amounts: readonly bigint[]) =>
    amounts.reduce((total, amount) => total + (amount < 0n ? -amount : amount), 0n)
  const ascending = [...prices].sort((a, b) => Number(a) - Number(b))
  expect(candles).toEqual([
    {
      pool: buildPoolKey('USD', 'A'),
      interval: '1m',
      startMs: 180_000,
      open: prices[0],
      high: ascending.at(-1),
      low: ascending[0],
      close: prices.at(-1),
      volume0: sum(trades.map(({ amount0 }) => amount0)),
      volume1: sum(trades.map(({ amount1 }) => amount1)),
    },
  ])
})

test('a mint raises the supply in every view of the token', () => {
  const { views, step } = small()
  step({
    kind: 'mintToken',
    sender: ADMIN,
    tokenId: tokenId('A'),
    shares: [{ recipient: ALICE, amount: 5n }],
  })
  const token = views.token(tokenId('A'))
  expect(token?.supply).toBe(2n * 10n ** 15n + 5n)
  const pool = views.pool(buildPoolKey('USD', 'A'))
  expect([pool?.token0, pool?.token1]).toContain(token)
})

test('a returned view never changes', () => {
  const { views, step } = small()
  const before = views.pool(buildPoolKey('USD', 'A'))
  const copy = structuredClone(before)
  step(swapTransaction(['USD', 'A'], 1_000_000n))
  expect(before).toEqual(copy)
  expect(views.pool(buildPoolKey('USD', 'A'))).not.toEqual(copy)
})

const primitives = fc.oneof(
  ...[fc.string(), fc.bigInt(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined, -0)],
)
const { graph } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, primitives, tie('graph')),
  graph: fc.oneof(
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => new Set(items)),
  ),
}))
const links = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 3 })

test('copies any graph as structuredClone does, and shares no object with it', () => {
  let linkedSome = false
  fc.assert(
    fc.property(graph, links, (drawn, linked) => {
      // Links change the graph, which fast-check would draw from again.
      const root = structuredClone({ drawn, links: new Map() })
      const objects = [...reach(root)]
      for (const [from, to] of linked) {
        const source = objects[from % objects.length]
        const target = objects[to % objects.length]
        root.links.set(source, target)
        if (Array.isArray(source)) source.push(target)
        linkedSome = true
      }
      const copy = copyState(root)
      expect(outline(copy)).toEqual(outline(structuredClone(root)))
      const originals = reach(root)
      expect([...reach(copy)].filter((object) => originals.has(object)).length).toBe(0)
    }),
  )
  expect(linkedSome).toBe(true)
})

test('refuses what a copy would change', () => {
  expect(() => copyState({ at: new Date(0) })).toThrow('copyState: not plain data')
})

test('a replica shares the immutable rows of an index and nothing else', () => {
  const { world } = createSmallWorld(3)
  world.mine(40)
  const { index } = world.state()
  const copy = copyIndexer({ state: index }).state
  expect(outline(copy)).toEqual(outline(index))
  const rows = new Set([...immutableRows(index)].flatMap((row) => [...reach(row)]))
  const originals = reach(index)
  const shared = [...reach(copy)].filter((object) => originals.has(object))
  expect(shared.length).toBe(rows.size)
  expect(shared.filter((object) => !rows.has(object)).length).toBe(0)
})

/** All objects that the value refers to, itself included. */
function reach(value: unknown): Set<object> {
  const found = new Set<object>()
  const enter = (object: object): boolean => found.size === found.add(object).size
  visit(value, enter, () => {})
  return found
}

/** A list for toEqual: contents in order, and which references lead to the same object. */
function outline(value: unknown): unknown[] {
  const lines: unknown[] = []
  const places = new Map<object, number>()
  const enter = (object: object): boolean => {
    const known = places.get(object)
    lines.push(known === undefined ? object.constructor.name : `object ${known}`)
    places.set(object, known ?? places.size)
    return known !== undefined
  }
  visit(value, enter, (primitive) => lines.push(primitive))
  return lines
}

/** Visits all contents in order; `enter` returns whether the object is known already. */
function visit(value: unknown, enter: (object: object) => boolean, read: (value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) read(value)
  else if (!enter(value)) for (const item of contentsOf(value)) visit(item, enter, read)
}

function contentsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat(1)
  return value instanceof Set || Array.isArray(value) ? [...value] : Object.entries(value).flat(1)
}
