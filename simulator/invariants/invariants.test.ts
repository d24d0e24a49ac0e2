import { expect, test } from 'vitest'
import { IN_FULL, sampleNames } from '../../tools/test/tree-sample.ts'
import type { Block } from '../chain/block.ts'
import { createClock } from '../clock.ts'
import { CANDLE_INTERVALS, type CandleInterval } from '../indexer/candle-interval.ts'
import type { Candle } from '../indexer/candles.ts'
import type { IndexedPool } from '../indexer/index-state.ts'
import { createRandom } from '../random.ts'
import { createWorld, type World } from '../world/world.ts'
import { loadWorldFixture, parseStartMs, worldNames } from '../world-fixture.ts'
import { buildBook, type Evidence } from './book.ts'
import { checkInvariants, INVARIANTS } from './invariants.ts'

/** The other worlds take longer; simulator/world/worlds.long.test.ts checks them. */
const SMALL = worldNames().filter((name) => IN_FULL || !['wide', 'volatile'].includes(name))

test.each(IN_FULL ? [7, 8, 9] : [7])(
  'all are true every 20 blocks, in history and after it, seed %i',
  (seed) => {
    const { world, violations, checks } = watchedWorld({ world: 'tiny', seed, everyBlocks: 20 })
    world.mine(100)
    expect(checks()).toBe(21)
    expect(violations).toEqual([])
  },
)

test.each(sampleNames(SMALL, 2))('all are true in the world %s', (name) => {
  const everyBlocks = Math.ceil(loadWorldFixture(name).history.blocks / 2)
  const { world, evidence, violations } = watchedWorld({ world: name, seed: 7, everyBlocks })
  world.mine(30)
  expect([...violations, ...checkInvariants(evidence())]).toEqual([])
})

test('all are true after reorganizations', () => {
  const { world, evidence } = watchedWorld({ world: 'tiny', seed: 7, everyBlocks: 1000 })
  for (const depth of [1, 5, 30]) {
    world.mine(depth)
    world.reorg(depth)
    expect(checkInvariants(evidence())).toEqual([])
    world.mine(3)
    expect(checkInvariants(evidence())).toEqual([])
  }
})

test('all are true while the protocol takes its share and collects it, and after reorganizations of that', () => {
  const { world, evidence } = watchedWorld({ world: 'tiny', seed: 7, everyBlocks: 1000 })
  const pools = [...evidence().chain.pools.keys()]
  for (const [place, key] of pools.entries())
    world.changeConfig({ scope: 'protocol_fee', key: `${key}/${4 + (place % 7)}/${10 - (place % 7)}` })
  for (let round = 0; round < 4; round++) {
    world.mine(20)
    expect(checkInvariants(evidence())).toEqual([])
    for (const pool of pools)
      world.submit({
        kind: 'collectProtocol',
        sender: world.administrator,
        pool,
        recipient: 'bw1treasury',
        amount0Max: 10n ** 30n,
        amount1Max: round % 2 === 0 ? 10n ** 30n : 100n,
      })
    world.mine(2)
    expect(checkInvariants(evidence())).toEqual([])
    world.reorg(10)
    expect(checkInvariants(evidence())).toEqual([])
  }
  expect(evidence().chain.balances.get('bw1treasury')?.size).toBeGreaterThan(10)
})

const { evidence } = watchedWorld({ world: 'tiny', seed: 7, everyBlocks: 1000 })

const first = <Value>(map: ReadonlyMap<string, Value>): Value => [...map.values()][0] as Value // as: no map is empty here
const traded = ({ index }: Evidence) =>
  [...index.pools.values()].find(({ candles }) => candles.closed[2]?.chunks[0]) ?? first(index.pools)

type Tampering = [keyof typeof INVARIANTS, string, (evidence: Evidence) => void]

const TAMPERINGS: readonly Tampering[] = [
  ['supplyConserved', 'a unit in a pool from nowhere', ({ chain }) => void first(chain.pools).balance0++],
  [
    'supplyConserved',
    'a pending output shrunk',
    ({ chain }) => void first(chain.pendingOutputs).amountRemaining--,
  ],
  ['supplyConserved', 'a supply raised without a mint', ({ chain }) => void first(chain.tokens).supply++],
  ['supplyConserved', 'a mint not indexed', ({ index }) => void first(index.tokens).supply--],
  ['poolsSolvent', 'a pool without its token0', ({ chain }) => empty(first(chain.pools))],
  ['poolsSolvent', 'a fee credited twice', ({ chain }) => creditTwice(first(chain.pools).amm.positions)],
  ['poolsSolvent', 'more paid than owed', ({ chain }) => overpay(first(chain.pools).amm.positions)],
  [
    'poolsSolvent',
    'protocol fees that no trade paid',
    ({ chain }) => raise(first(chain.pools).amm, 'protocolFees1', first(chain.pools).balance1),
  ],
  ['poolsSolvent', 'an account deleted', ({ chain }) => first(chain.pools).amm.positions.clear()],
  [
    'candlesAgreeWithTrades',
    'a high too low',
    (tampered) => raise(getOpenMinute(traded(tampered)), 'highX96'),
  ],
  [
    'candlesAgreeWithTrades',
    'a low too high',
    (tampered) => raise(getClosedCandle(traded(tampered), '1m'), 'lowX96'),
  ],
  [
    'candlesAgreeWithTrades',
    'another opening price',
    (tampered) => raise(getClosedCandle(traded(tampered), '5m'), 'openX96'),
  ],
  [
    'candlesAgreeWithTrades',
    'another closing price',
    (tampered) => raise(getClosedCandle(traded(tampered), '15m'), 'closeX96'),
  ],
  ['candlesAgreeWithTrades', 'a volume too high', (tampered) => raise(traded(tampered), 'volume1Total')],
  [
    'candlesAgreeWithTrades',
    'a candle deleted',
    (tampered) => traded(tampered).candles.open.fill(null, 0, 1),
  ],
  ['volumesEqualSwaps', 'a swap counted twice', (tampered) => raise(traded(tampered), 'volume0Total')],
  [
    'volumesEqualSwaps',
    'a swap missing before the kept candles',
    (tampered) => raise(getClosedCandle(traded(tampered), '15m'), 'volume1Before'),
  ],
  [
    'positionsEqualLiquidity',
    'liquidity in range too high',
    ({ chain }) => raise(first(chain.pools).amm, 'liquidity'),
  ],
  [
    'positionsEqualLiquidity',
    'a tick’s net changed',
    ({ chain }) => raiseTick(first(chain.pools).amm.ticks.byTick),
  ],
  ['positionsEqualLiquidity', 'a position missing', ({ chain }) => forgetFirst(chain.positions)],
  [
    'positionsEqualLiquidity',
    'fees not indexed',
    ({ index }) => raise(traded({ index } as Evidence).amm, 'feeGrowthGlobal0X128'),
  ], // as: it reads only the index
  [
    'positionsEqualLiquidity',
    'an observation not indexed',
    ({ index }) => raise(traded({ index } as Evidence).amm.oracle.observations[0], 'tickCumulative'),
  ], // as: it reads only the index
  [
    'positionsEqualLiquidity',
    'a protocol fee not indexed',
    ({ index }) => void first(index.pools).amm.feeProtocol0++,
  ],
  [
    'balancesEqualTransfers',
    'a balance changed without an event',
    ({ chain }) => raiseAny(first(chain.balances)),
  ],
  ['balancesEqualTransfers', 'a transfer not indexed', ({ index }) => raiseAny(first(index.balances))],
]

test.each(TAMPERINGS)('%s finds %s', (name, _, tamper) => {
  const tampered = structuredClone(evidence())
  expect(INVARIANTS[name](tampered)).toEqual([])
  tamper(tampered)
  expect(INVARIANTS[name](tampered)).not.toEqual([])
})

test('each has a change that it detects', () => {
  expect(new Set(TAMPERINGS.map(([name]) => name))).toEqual(new Set(Object.keys(INVARIANTS)))
})

test('rejects states of different blocks', () => {
  const { chain, index, book } = evidence()
  const behind = { chain, index, book: { ...book, height: book.height - 1 } }
  expect(() => checkInvariants(behind)).toThrow('chain at 300, index at 300, book at 299')
})

function raise<Name extends string>(
  record: { [Key in Name]: bigint } | undefined,
  name: Name,
  by = 1n,
): void {
  if (!record) throw new RangeError(`nothing has a ${name}`)
  record[name] += by as (typeof record)[Name] // as: every field is a bigint
}

function raiseAny(held: Map<string, bigint>): void {
  const [token, amount] = [...held][0] ?? ['', 0n]
  held.set(token, amount + 1n)
}

function raiseTick(byTick: Map<number, { liquidityNet: bigint }>): void {
  for (const tick of byTick.values()) tick.liquidityNet += 1n
}

function forgetFirst(positions: Map<string, unknown>): void {
  positions.delete([...positions.keys()][0] ?? '')
}

function creditTwice(positions: Map<string, { tokensOwed0: bigint; liquidity: bigint }>): void {
  for (const position of positions.values()) position.tokensOwed0 += position.liquidity
}

function empty(pool: { balance0: bigint }): void {
  pool.balance0 = 0n
}

function getOpenMinute(pool: IndexedPool): Candle | undefined {
  return pool.candles.open[0] ?? undefined
}

function getClosedCandle(pool: IndexedPool, interval: CandleInterval): Candle | undefined {
  return pool.candles.closed[CANDLE_INTERVALS.indexOf(interval)]?.chunks[0]?.[0]
}

function overpay(positions: Map<string, { tokensOwed1: bigint }>): void {
  for (const position of positions.values()) position.tokensOwed1 = -1n
}

type WatchedWorld = {
  world: World
  evidence(): Evidence
  violations: readonly string[]
  checks(): number
}

/** A world with its history, and the violations found on the way, with a check at this interval. */
function watchedWorld(options: { world: string; seed: number; everyBlocks: number }): WatchedWorld {
  const { seed, everyBlocks } = options
  const fixture = loadWorldFixture(options.world)
  const blocks: Block[] = []
  const violations: string[] = []
  let checks = 0
  const world = createWorld({
    fixture,
    seed,
    random: createRandom(seed),
    clock: createClock({ startMs: parseStartMs(fixture) }),
    accounts: ['bw1one'],
    onMined(block, { chain, index }) {
      blocks.length = block.height
      blocks.push(block)
      if (block.height % everyBlocks !== 0) return
      checks++
      violations.push(...checkInvariants({ chain, index, book: buildBook(blocks) }))
    },
  })
  return {
    world,
    evidence: () => ({ ...world.state(), book: buildBook(blocks) }),
    violations,
    checks: () => checks,
  }
}
