import { expect, test } from 'vitest'
import { Q96 } from '../amm/full-math.ts'
import { fullRangeTicks } from '../amm/position.ts'
import type { Receipt } from '../chain/block.ts'
import { fieldFrom } from '../chain/identifiers.ts'
import { poolKey } from '../chain/programs/pools.ts'
import type { Transaction } from '../chain/transaction.ts'
import { createClock } from '../clock.ts'
import { createRandom } from '../random.ts'
import { createWorld } from '../world/world.ts'
import { loadWorldFixture, parseStartMs, type WorldFixture } from '../world-fixture.ts'
import { createAgents } from './agents.ts'

const tiny = loadWorldFixture('tiny')
/** Agents consider every pool in every block, without pauses. */
const FIXTURE: WorldFixture = {
  ...tiny,
  history: { blocks: 20, blockIntervalMs: 60_000 },
  swapsPerBlock: 20,
  multiHopShare: 0.8,
  arbitrage: { ...tiny.arbitrage, poolsPerBlock: 100 },
  liquidity: { ...tiny.liquidity, actionsPerBlock: 5 },
  governance: { ...tiny.governance, everyBlocks: 1_000_000 },
  launches: { ...tiny.launches, fromBlock: 1_000_000 },
}
const SEED = 7
const FEE_PIPS = 3000
const [ONE, OTHER] = ['one', 'other'].map((name) => fieldFrom(`unknown ${name}`)) as [string, string] // as: of two

function createTestBed() {
  const receipts: Receipt[] = []
  const world = createWorld({
    fixture: FIXTURE,
    seed: SEED,
    random: createRandom(SEED),
    clock: createClock({ startMs: parseStartMs(FIXTURE) }),
    accounts: [],
    onMined: (block) => receipts.push(...block.receipts),
  })
  const { people, tokens } = createAgents({ fixture: FIXTURE, random: createRandom(SEED), accounts: [] })
  const pairs = [ONE, OTHER].flatMap((token) => [
    [token, tokens.stable.id] as const,
    [token, tokens.native.id] as const,
  ])
  const pools = [...pairs, [ONE, OTHER] as const]
  const keys = pools.map(([a, b]) => poolKey(a, b, FEE_PIPS))
  const everybody = [...people.traders, ...people.providers, people.arbitrageur, people.administrator]
  const submitAll = (transactions: readonly Transaction[]) => {
    for (const transaction of transactions) world.submit(transaction)
    receipts.length = 0
    world.mine()
    expect(receipts.filter(({ refused }) => refused !== null)).toEqual([])
  }
  const { administrator } = world
  submitAll([
    ...[ONE, OTHER].flatMap((id) => [registered(id, administrator), minted(id, administrator, everybody)]),
    ...[tokens.stable.id, tokens.native.id].map((id) => minted(id, administrator, [administrator])),
  ])
  submitAll(pools.map(([tokenA, tokenB]) => created(administrator, tokenA, tokenB)))
  return { world, people, keys, receipts, submitAll }
}

function registered(id: string, sender: string): Transaction {
  const token = {
    id,
    address: id,
    symbol: 'NEW',
    name: 'New',
    decimals: 6,
    ammTokenProgram: 'new.program',
    underlyingProgram: null,
    underlyingTokenId: null,
    image: null,
  }
  return { kind: 'registerToken', sender, token }
}

function minted(tokenId: string, sender: string, recipients: readonly string[]): Transaction {
  const shares = recipients.map((recipient) => ({ recipient, amount: 10n ** 15n }))
  return { kind: 'mintToken', sender, tokenId, shares }
}

function created(sender: string, tokenA: string, tokenB: string): Transaction {
  return { kind: 'createPool', sender, tokenA, tokenB, feePips: FEE_PIPS, sqrtPriceX96: Q96 }
}

function positionIn(pool: string, sender: string): Transaction {
  return {
    kind: 'mintPosition',
    sender,
    pool,
    ...fullRangeTicks(60),
    liquidity: 10n ** 6n,
    isPrivate: false,
  }
}

test('agents ignore pools of tokens without a price', () => {
  const { world, people, keys, receipts, submitAll } = createTestBed()
  submitAll(keys.map((pool) => positionIn(pool, people.administrator)))
  const pools = keys.map((key) => world.state().chain.pools.get(key))
  const before = structuredClone(pools)
  receipts.length = 0
  world.mine(100)
  expect(receipts.filter(({ kind }) => kind === 'swap').length).toBeGreaterThan(1000)
  expect(receipts.filter(({ kind }) => kind === 'mintPosition').length).toBeGreaterThan(10)
  expect(pools).toEqual(before)
})

test('a provider who holds positions there adds nothing to them', () => {
  const { world, people, keys, submitAll } = createTestBed()
  submitAll(people.providers.flatMap((provider) => keys.map((pool) => positionIn(pool, provider))))
  const listLiquidity = () => keys.map((key) => world.state().chain.pools.get(key)?.amm.liquidity ?? 0n)
  let before = listLiquidity()
  for (let block = 0; block < 100; block++) {
    world.mine()
    const after = listLiquidity()
    for (const [place, liquidity] of after.entries())
      expect(liquidity).toBeLessThanOrEqual(before[place] ?? 0n)
    before = after
  }
})
