import { expect, test } from 'vitest'
import { integerSqrt, Q96 } from '../amm/full-math.ts'
import { mineBlock } from '../chain/chain.ts'
import { emptyState } from '../chain/state.ts'
import {
  ALICE,
  buildPoolKey,
  configure,
  createTestChain,
  poolTransactions,
  type TestChain,
  tokenId,
} from '../chain/test-chain.ts'
import { createRandom } from '../random.ts'
import { loadWorldFixture, parseStartMs } from '../world-fixture.ts'
import { claimOutputs, createAgents } from './agents.ts'
import {
  type Arbitraging,
  arbitrage,
  bestAmount,
  type Cycle,
  computeRate,
  rememberMoved,
} from './arbitrageur.ts'
import { getPriceUsd, otherToken, roughPrice, wholePrice } from './market.ts'
import { stillMarket } from './test-market.ts'

const FEE = 0.003
const rulesWith = (poolsPerBlock: number) => ({ fundsUsd: 1, poolsPerBlock, gapMin: 1e-4 })

function arbitraging(
  { state }: TestChain,
  pricesUsd: Record<string, number>,
  options: Partial<Arbitraging> = {},
): Arbitraging {
  const prices = Object.fromEntries(Object.entries(pricesUsd).map(([symbol, usd]) => [tokenId(symbol), usd]))
  return {
    state,
    outside: stillMarket(tokenId('USD'), prices),
    memory: { moved: [], nextPool: 0 },
    sender: ALICE,
    hubs: [tokenId('USD'), tokenId('NAT')],
    rules: rulesWith(10),
    ...options,
  }
}

/** √price as Q64.96, from a price in thousandths. */
const sqrtX96 = (thousandths: bigint) => integerSqrt((thousandths * Q96 * Q96) / 1000n)

function createChain(pools: readonly (readonly [string, string, bigint])[]): TestChain {
  const chain = createTestChain(['USD', 'NAT', 'A'])
  for (const [a, b, thousandths] of pools)
    chain.mine(...poolTransactions(a, b, 10n ** 12n, sqrtX96(thousandths)))
  return chain
}

test.each([2, 0.5])('a pool is moved until its fee leaves no gain, the market at %d', (usd) => {
  const chain = createChain([['USD', 'A', 1000n]])
  const swaps = arbitrage(arbitraging(chain, { A: usd }))
  expect(swaps).toHaveLength(1)
  expect(chain.mine(...swaps).map(({ refused }) => refused)).toEqual([null])
  const pool = [...chain.state.pools.values()][0]
  if (!pool) throw new Error('the pool does not exist')
  const market = pool.token0 === tokenId('A') ? usd : 1 / usd
  const gap = Math.abs(Math.log(roughPrice(pool) / market))
  expect(gap).toBeCloseTo(-Math.log(1 - FEE), 6)
  expect(arbitrage(arbitraging(chain, { A: usd }))).toEqual([])
})

test('a gap within the fee is left alone, and so is any gap while trading is barred or the balance is 0', () => {
  const chain = createChain([['USD', 'A', 1000n]])
  expect(arbitrage(arbitraging(chain, { A: 1.0029 }))).toEqual([])
  expect(arbitrage(arbitraging(chain, { A: 1.0032 }))).toHaveLength(1)
  expect(arbitrage(arbitraging(chain, { A: 2 }, { sender: 'bw1nobody' }))).toEqual([])
  for (const key of ['all', buildPoolKey('USD', 'A')]) {
    const barred = createChain([['USD', 'A', 1000n]])
    barred.mine(configure('pause', key))
    expect(arbitrage(arbitraging(barred, { A: 2 }))).toEqual([])
  }
})

test('a triangle is closed in one swap of three hops that ends with more of its first token', () => {
  const chain = createChain([
    ['USD', 'NAT', 1000n],
    ['NAT', 'A', 1000n],
    ['USD', 'A', 1100n],
  ])
  const [swap, ...others] = arbitrage(arbitraging(chain, { NAT: 1, A: 1 }))
  if (!swap) throw new Error('no swap')
  expect(others).toEqual([])
  expect(swap.pools).toHaveLength(3)
  expect(swap.tokenIn).toBe(tokenId('USD'))
  const [receipt] = chain.mine(swap)
  expect(receipt?.events[0]).toMatchObject({ kind: 'swapExecuted', tokenOut: tokenId('USD') })
  const [output] = [...chain.state.pendingOutputs.values()]
  expect(output?.amountRemaining).toBeGreaterThan(swap.amountIn)
})

test('only pools that moved, and some in rotation, are checked', () => {
  const chain = createChain([
    ['USD', 'NAT', 1000n],
    ['USD', 'A', 1000n],
  ])
  const looking = arbitraging(chain, { NAT: 2, A: 2 }, { rules: rulesWith(0) })
  expect(arbitrage(looking)).toEqual([])
  const poolsLookedAt = (options: Partial<Arbitraging>) =>
    arbitrage({ ...looking, ...options }).flatMap(({ pools }) => pools)
  expect(poolsLookedAt({ memory: { moved: [buildPoolKey('USD', 'A')], nextPool: 0 } })).toEqual([
    buildPoolKey('USD', 'A'),
  ])
  const memory = { moved: [], nextPool: 0 }
  const inTurn = () => poolsLookedAt({ memory, rules: rulesWith(1) })
  expect([inTurn(), inTurn(), inTurn()].flat()).toEqual([
    buildPoolKey('USD', 'NAT'),
    buildPoolKey('USD', 'A'),
    buildPoolKey('USD', 'NAT'),
  ])
  const sent = arbitrage(arbitraging(chain, { NAT: 2, A: 1 }))
  rememberMoved(memory, sent, ALICE)
  expect(memory.moved).toEqual([])
  rememberMoved(memory, sent, 'bw1other')
  expect(memory.moved).toEqual([buildPoolKey('USD', 'NAT')])
})

test('the amount for a cycle is the one with the highest gain', () => {
  const chain = createChain([
    ['USD', 'NAT', 1000n],
    ['NAT', 'A', 1000n],
    ['USD', 'A', 1100n],
  ])
  const pool = (a: string, b: string) => {
    const found = chain.state.pools.get(buildPoolKey(a, b))
    if (!found) throw new Error('no pool')
    return found
  }
  const route: Cycle = [
    { pool: pool('USD', 'A'), tokenIn: tokenId('USD') },
    { pool: pool('NAT', 'A'), tokenIn: tokenId('A') },
    { pool: pool('USD', 'NAT'), tokenIn: tokenId('NAT') },
  ]
  const back: Cycle = [...route]
    .reverse()
    .map((hop) => ({ ...hop, tokenIn: otherToken(hop.pool, hop.tokenIn) }))
  const rate = (cycle: Cycle) =>
    computeRate(
      cycle[0]?.tokenIn ?? '',
      cycle.map((hop) => hop.pool),
    )
  const cycle = rate(route) > 1 ? route : back
  expect(rate(cycle)).toBeCloseTo(1.1 * (1 - FEE) ** 3, 4)
  const amount = bestAmount(cycle, { amountMax: 10n ** 15n, gainMin: 0 })
  if (amount === undefined) throw new Error('no gain')
  // At the optimum the marginal rate of the cycle, after the swap, is 1.
  const pools = cycle.map((hop) => hop.pool.key)
  const tokenIn = cycle[0]?.tokenIn ?? ''
  chain.mine({
    kind: 'swap',
    sender: ALICE,
    recipient: ALICE,
    tokenIn,
    pools,
    amountIn: amount,
    amountOutMin: amount,
    isPrivate: false,
  })
  expect(rate(cycle)).toBeCloseTo(1, 3)
  expect(bestAmount(cycle, { amountMax: 10n ** 15n, gainMin: 1e-4 })).toBeUndefined()
})

test('after enough blocks without other traders every gap of a world is within fees', () => {
  const fixture = loadWorldFixture('tiny')
  const agents = createAgents({ fixture, random: createRandom(7), accounts: [] })
  const chain = emptyState({ startMs: parseStartMs(fixture), administrator: agents.people.administrator })
  for (let height = 0; height < 300; height++)
    mineBlock(chain, agents.act(chain, height === 0 ? 0 : 60_000), parseStartMs(fixture) + height * 60_000)

  const outside = {
    market: agents.state.market,
    rules: fixture.market,
    stream: createRandom(1).stream('looks'),
  }
  const sender = agents.people.arbitrageur
  const hubs = [agents.tokens.stable.id, agents.tokens.native.id]
  const rules = { ...fixture.arbitrage, poolsPerBlock: 8 }
  const looking = { state: chain, outside, memory: agents.state.arbitrage, sender, hubs, rules }
  const claims = { afterBlocks: 0, probabilityPerBlock: 1, partialShare: 0 }
  let swapsOfLast = 0
  for (let block = 0; block < 40; block++) {
    const swaps = arbitrage(looking)
    swapsOfLast = swaps.length
    mineBlock(chain, [...swaps, ...claimOutputs(chain, outside.stream, claims)], chain.timeMs)
  }
  expect(swapsOfLast).toBe(0)
  const pools = [...chain.pools.values()]
  const slack = 5e-4
  const kept = (feePips: number) => -Math.log(1 - feePips / 1e6)
  for (const pool of pools) {
    const market = getPriceUsd(outside, pool.token0) / getPriceUsd(outside, pool.token1)
    const gap = Math.abs(Math.log(wholePrice(chain, pool) / market))
    expect(gap).toBeLessThan(kept(pool.amm.feePips) + rules.gapMin + 1e-6)
  }
  expect(chain.contestedPairs).toHaveLength(fixture.secondPools)
  for (const pair of chain.contestedPairs) {
    const [a, b] = (chain.poolsByPair.get(pair) ?? []).map((key) => chain.pools.get(key))
    if (!a || !b) throw new Error('a contested pair has two pools')
    const gap = Math.abs(Math.log(roughPrice(a) / roughPrice(b)))
    expect(gap).toBeLessThan(kept(a.amm.feePips) + kept(b.amm.feePips) + slack)
  }
})
