import { expect, test } from 'vitest'
import { IN_FULL, sampleNames } from '../../tools/test/tree-sample.ts'
import type { Block } from '../chain/block.ts'
import { createClock } from '../clock.ts'
import { emptyBook, enterBlock } from '../invariants/book.ts'
import { checkInvariants } from '../invariants/invariants.ts'
import { createRandom } from '../random.ts'
import { loadWorldFixture, parseStartMs, type WorldFixture, worldNames } from '../world-fixture.ts'
import { createWorld, type World } from './world.ts'

/** Some worlds need that many blocks to show their purpose. */
const blocksIn = (world: string) => (IN_FULL || ['churn', 'launch-day'].includes(world) ? 200 : 60)
/** For comparing hashes: fewer blocks, so that a world is not mined three times in full. */
const BLOCKS_COMPARED = 20
/** Ten thousand pools are slow. */
const SMALL = worldNames().filter((name) => IN_FULL || name !== 'wide')
const DAY_MS = 86_400_000
const TIMEOUT_MS = 120_000

type Run = {
  fixture: WorldFixture
  world: World
  blocks: readonly Block[]
  comparedHash: string
  violations: readonly string[]
}

/** Each world is mined once for all tests. */
const runs = new Map<string, Run>()

function getRun(name: string): Run {
  const known = runs.get(name)
  if (known) return known
  const fixture = loadWorldFixture(name)
  const book = emptyBook()
  const blocks: Block[] = []
  const violations: string[] = []
  const world = createTestedWorld(fixture, 7, (block, { chain, index }) => {
    enterBlock(book, block)
    const { blocks: history } = fixture.history
    if (block.height > history) blocks.push(block)
    if ((block.height - history) % (blocksIn(name) / 2) === 0)
      violations.push(...checkInvariants({ chain, index, book }))
  })
  world.mine(BLOCKS_COMPARED)
  const comparedHash = world.eventLogHash()
  world.mine(blocksIn(name) - BLOCKS_COMPARED)
  const run = { fixture, world, blocks, comparedHash, violations }
  runs.set(name, run)
  return run
}

function createTestedWorld(
  fixture: WorldFixture,
  seed: number,
  onMined: Parameters<typeof createWorld>[0]['onMined'] = () => {},
): World {
  const clock = createClock({ startMs: parseStartMs(fixture) })
  const accounts = ['bw1one', 'bw1two']
  return createWorld({ fixture, seed, random: createRandom(seed), clock, accounts, onMined })
}

const listReceipts = ({ blocks }: Run) => blocks.flatMap(({ receipts }) => receipts)
const listEvents = (run: Run) => listReceipts(run).flatMap(({ events }) => events)
const countMinutes = ({ blocks, fixture }: Run) => (blocks.length * fixture.blockIntervalMs) / 60_000
const listSwaps = (run: Run) => listReceipts(run).filter(({ kind }) => kind === 'swap')
const computeRefusedShare = (run: Run) =>
  listSwaps(run).filter(({ refused }) => refused !== null).length / listSwaps(run).length
const listRefusals = (run: Run) => new Set(listSwaps(run).map(({ refused }) => refused))

test.each(sampleNames(worldNames(), 3))(
  '%s mines blocks, and all invariants hold',
  { timeout: TIMEOUT_MS },
  (name) => {
    const run = getRun(name)
    expect(run.blocks).toHaveLength(blocksIn(name))
    expect(run.violations).toEqual([])
    expect(listEvents(run).filter(({ kind }) => kind === 'swapExecuted').length).toBeGreaterThan(
      blocksIn(name),
    )
  },
)

test.each(sampleNames(SMALL, 2))(
  '%s: a seed gives its blocks, another seed others',
  { timeout: TIMEOUT_MS },
  (name) => {
    const { fixture, comparedHash } = getRun(name)
    const computeHash = (seed: number) => {
      const world = createTestedWorld(fixture, seed)
      world.mine(BLOCKS_COMPARED)
      return world.eventLogHash()
    }
    expect(computeHash(7)).toBe(comparedHash)
    expect(computeHash(8)).not.toBe(comparedHash)
  },
)

test.each(worldNames().filter((name) => name !== 'tiny'))('%s has three days of history or more', (name) => {
  const { blocks, blockIntervalMs } = loadWorldFixture(name).history
  expect(blocks * blockIntervalMs).toBeGreaterThanOrEqual(3 * DAY_MS)
})

test('calm has more than two pages of pools, and refuses almost no swaps', { timeout: TIMEOUT_MS }, () => {
  const run = getRun('calm')
  expect(run.world.views.pools({ limit: 0, offset: 0 }).total).toBeGreaterThan(200)
  // Two transactions may spend the same balance in a block.
  expect(computeRefusedShare(run)).toBeLessThan(0.01)
})

test('volatile is busy: at least forty swaps per block, and prices that jump', {
  timeout: TIMEOUT_MS,
}, () => {
  const run = getRun('volatile')
  const swaps = run.blocks.map(({ receipts }) => receipts.filter(({ kind }) => kind === 'swap').length)
  expect(Math.min(...swaps)).toBeGreaterThanOrEqual(40)
  const changes = run.world.views
    .explorePools({ window: '1w', sort: 'priceChangePct', order: 'desc', limit: 200, offset: 0 })
    .rows.map(({ priceChangePct }) => Math.abs(Number(priceChangePct)))
  expect(changes.filter((percent) => percent > 20).length).toBeGreaterThan(changes.length / 2)
})

test('launch-day opens a pool every few seconds, and half of all trading is in new ones', {
  timeout: TIMEOUT_MS,
}, () => {
  const run = getRun('launch-day')
  const launched = listEvents(run).flatMap((event) => (event.kind === 'poolCreated' ? [event.pool] : []))
  const perMinute = launched.length / countMinutes(run)
  expect(perMinute).toBeGreaterThan(15)
  expect(perMinute).toBeLessThan(30)
  const trades = listEvents(run).flatMap((event) => (event.kind === 'swapExecuted' ? event.hops : []))
  const inLaunched = trades.filter(({ pool }) => launched.includes(pool)).length
  expect(inLaunched / trades.length).toBeGreaterThan(0.25)
})

test('thin refuses swaps for lack of liquidity and for their limits, and routes fail', {
  timeout: TIMEOUT_MS,
}, () => {
  const run = getRun('thin')
  expect(listRefusals(run)).toContain('liquidity-too-low')
  expect(listRefusals(run)).toContain('output-below-minimum')
  expect(computeRefusedShare(run)).toBeGreaterThan(0.05)
  const { views } = run.world
  const [stable] = views.tokens()
  const routes = views
    .tokens()
    .slice(1)
    .map(({ id, decimals }) =>
      views.route({
        tokenIn: id,
        tokenOut: stable?.id ?? '',
        amountIn: 2000n * 10n ** BigInt(decimals),
        hopsMax: 3,
      }),
    )
  const found = routes.filter((route) => route !== undefined).length
  expect(found).toBeGreaterThan(0)
  expect(found).toBeLessThan(routes.length)
})

test('wide has ten thousand pools', { timeout: TIMEOUT_MS }, () => {
  expect(getRun('wide').world.views.pools({ limit: 0, offset: 0 }).total).toBe(10_001)
})

test('churn revises every few seconds: pairs, lists, gates and tiers; with trades in between', {
  timeout: TIMEOUT_MS,
}, () => {
  const run = getRun('churn')
  const changes = listEvents(run).flatMap((event) => (event.kind === 'configChanged' ? event.changes : []))
  expect(changes.length / countMinutes(run)).toBeGreaterThan(20)
  expect(new Set(changes.map(({ scope }) => scope))).toEqual(
    new Set(['fee_tiers', 'pause', 'allowlist', 'pool_creation']),
  )
  const pauses = listEvents(run).flatMap((event) => (event.kind === 'pairPaused' ? [event.paused] : []))
  expect(new Set(pauses)).toEqual(new Set([true, false]))
  const configurations = listEvents(run).flatMap((event) =>
    event.kind === 'configChanged' ? [event.configuration] : [],
  )
  expect(new Set(configurations.map(({ allowlistEnabled }) => allowlistEnabled))).toEqual(
    new Set([true, false]),
  )
  expect(new Set(configurations.map(({ poolCreation }) => poolCreation))).toEqual(new Set(['open', 'gated']))
  expect(new Set(configurations.map(({ feeTiers }) => feeTiers.length)).size).toBeGreaterThan(2)
  for (const { receipts } of run.blocks)
    expect(receipts.some(({ kind, refused }) => kind === 'swap' && refused === null)).toBe(true)
})

test('hostile names, decimals, prices and fees reach the views unchanged', { timeout: TIMEOUT_MS }, () => {
  const { views } = getRun('hostile').world
  const tokens = views.tokens()
  const names = tokens.map(({ name }) => name)
  const symbols = tokens.map(({ symbol }) => symbol)
  expect(names.some((name) => name.startsWith('<script>alert("'))).toBe(true)
  expect(names.some((name) => name.length === 300)).toBe(true)
  expect(names.some((name) => /\p{Script=Hebrew}/u.test(name) && /\p{Script=Arabic}/u.test(name))).toBe(true)
  expect(names.some((name) => name.includes('\u202e'))).toBe(true)
  expect(symbols).toContain('🚀🌕')
  expect(symbols.filter((symbol) => symbol === 'USDC').length).toBeGreaterThan(1)
  expect(symbols).toContain('USD\u0421')
  expect(symbols).toContain('__proto__')
  expect(
    [...names, ...symbols].every((text) => Buffer.from(text).toString() === text && !text.includes('\0')),
  ).toBe(true)
  expect(new Set(tokens.map(({ decimals }) => decimals))).toEqual(new Set([0, 1, 6, 18, 24]))

  const pools = views.pools({ limit: 1000, offset: 0 }).rows
  // The ends are at ±887,272: tick 740,000 is a price of 10^32.
  expect(Math.max(...pools.map(({ tick }) => tick))).toBeGreaterThan(740_000)
  expect(Math.min(...pools.map(({ tick }) => tick))).toBeLessThan(-740_000)
  expect(new Set(pools.map(({ feePips }) => feePips))).toEqual(new Set([1, 500, 3000, 990_000]))
  const traded = pools.filter(({ key }) => views.trades({ pool: key, limit: 1, offset: 0 }).total > 0)
  expect(traded.length).toBeGreaterThan(pools.length / 2)
})
