import { expect, test } from 'vitest'
import { createTestChain, poolTransactions, swapTransaction, type TestChain } from '../chain/test-chain.ts'
import { createRandom } from '../random.ts'
import { loadWorldFixture, type WorldFixture } from '../world-fixture.ts'
import { type Governing, govern } from './governor.ts'

type Kind = keyof WorldFixture['governance']['weights']

const NONE = {
  announceTier: 0,
  addTier: 0,
  listToken: 0,
  pausePair: 0,
  disablePool: 0,
  enableAllowlist: 0,
  gatePoolCreation: 0,
  setProtocolFee: 0,
}

/** A revision every two blocks, of one kind only; each change lasts at least three blocks. */
function governing(kind: Kind, chain: TestChain): Governing {
  const fixture = loadWorldFixture('tiny')
  const governance = { everyBlocks: 2, holdBlocks: 3, weights: { ...NONE, [kind]: 1 } }
  return {
    state: chain.state,
    memory: { inForce: [], unlisted: [], frozen: null },
    people: {
      administrator: chain.state.administrator,
      liquidityProvider: '',
      launcher: '',
      accounts: [],
      traders: [],
      providers: ['bw1nobody'],
      arbitrageur: '',
    },
    fixture: { ...fixture, governance, feeTiers: [{ feePips: 3000, tickSpacing: 60, weight: 1 }] },
    stream: createRandom(3).stream('governor'),
  }
}

function watch<Seen>(kind: Kind, blocks: number, check: (chain: TestChain) => Seen): Seen[] {
  const chain = createTestChain(['USD', 'A'])
  chain.mine(...poolTransactions('USD', 'A'))
  const governed = governing(kind, chain)
  return Array.from({ length: blocks }, () => {
    const receipts = chain.mine(...govern(governed))
    expect(receipts.map(({ refused }) => refused)).not.toContain('not-administrator')
    return check(chain)
  })
}

test.each<[Kind, (chain: TestChain) => boolean]>([
  ['pausePair', ({ state }) => state.pausedPairs.size === 1],
  ['disablePool', ({ state }) => [...state.pools.values()].some(({ enabled }) => !enabled)],
  ['enableAllowlist', ({ state }) => state.configuration.allowlistEnabled],
  ['gatePoolCreation', ({ state }) => state.configuration.poolCreation === 'gated'],
])('%s lasts its blocks, is reverted, and repeats', (kind, check) => {
  // Revisions come in even blocks, the first in block 2; a change that lasts three blocks ends with the second revision after it.
  expect(watch(kind, 10, check)).toEqual([true, true, true, true, false, false, true, true, true, true])
})

test('protocol fees are set and change, and each revision pays them out', () => {
  const chain = createTestChain(['USD', 'A'])
  chain.mine(...poolTransactions('USD', 'A'))
  const governed = governing('setProtocolFee', chain)
  const fees = new Set<string>()
  for (let block = 0; block < 40; block++) {
    const swaps = [swapTransaction(['USD', 'A'], 10n ** 6n), swapTransaction(['A', 'USD'], 10n ** 6n)]
    const receipts = chain.mine(...govern(governed), ...swaps)
    expect(receipts.filter(({ refused }) => refused !== null)).toEqual([])
    for (const { amm } of chain.state.pools.values()) fees.add(`${amm.feeProtocol0}/${amm.feeProtocol1}`)
  }
  expect(fees.size).toBeGreaterThan(10)
  const [{ protocolFees0, protocolFees1 } = expect.fail()] = [...chain.state.pools.values()].map(
    ({ amm }) => amm,
  )
  // At most a fourth of the fees of the two blocks since the last revision, plus the remaining unit.
  for (const fees of [protocolFees0, protocolFees1]) expect(fees).toBeLessThanOrEqual(2n * 750n + 1n)
  const events = chain.blocks.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.events))
  const paid = events.filter(({ kind }) => kind === 'protocolCollected')
  expect(paid.length).toBeGreaterThan(10)
})

test('tiers are added up to the maximum that a revision can repeat', () => {
  const counts = watch('addTier', 80, ({ state }) => state.configuration.feeTiers.length)
  expect(counts.slice(0, 4)).toEqual([2, 2, 3, 3])
  expect(counts.at(-1)).toBe(32)
})

test('every due block has a revision, even if there is nothing left to change', () => {
  const revisions = watch('listToken', 6, ({ state }) => state.configuration.revision)
  expect(revisions).toEqual([3, 3, 4, 4, 5, 5])
})

test('launched tokens are listed in order, once each, and failed launches are not', () => {
  const chain = createTestChain(['USD', 'A'])
  const governed = governing('listToken', chain)
  const [usd, a] = [...chain.state.tokens.keys()]
  chain.state.allowlist.tokens.clear()
  governed.memory.unlisted.push('1field', usd ?? '', a ?? '')
  const listed = Array.from({ length: 5 }, () => {
    chain.mine(...govern(governed))
    return [...chain.state.allowlist.tokens]
  })
  expect(listed).toEqual([[], [usd], [usd], [usd, a], [usd, a]])
})

test('a change that another wallet reverted is not toggled again', () => {
  const chain = createTestChain(['USD', 'A'])
  chain.mine(...poolTransactions('USD', 'A'))
  const governed = governing('pausePair', chain)
  chain.mine(...govern(governed))
  const [pair = ''] = [...chain.state.pausedPairs]
  const resume = { scope: 'pause' as const, key: pair }
  chain.mine({ kind: 'changeConfig', sender: chain.state.administrator, change: resume })
  expect(chain.state.pausedPairs.size).toBe(0)
  const weights = { ...NONE, announceTier: 1 }
  governed.fixture = { ...governed.fixture, governance: { ...governed.fixture.governance, weights } }
  for (let block = 0; block < 6; block++) {
    chain.mine(...govern(governed))
    expect(chain.state.pausedPairs.size).toBe(0)
  }
})
