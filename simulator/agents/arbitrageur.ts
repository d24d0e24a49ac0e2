/**
 * Closes gaps beyond fees: between pools of one pair, round triangles with a hub token, and between a pool and the
 * outside price. It looks at the pools that moved since it last looked, and at a few in turn, as prices move outside
 * too: a block costs what moved, however many pools there are.
 */

import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { balanceOf } from '../chain/ledger.ts'
import { pairOf, tradingBar } from '../chain/pair.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import type { SwapTransaction, Transaction } from '../chain/transaction.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { scaledBy, toUnits } from './exact.ts'
import { isPriced, type Outside, otherToken, priceUsdOf, roughPrice, wholePrice } from './market.ts'

/** Plain data: a snapshot copies it. */
export type ArbitrageMemory = {
  /** Keys of pools that others’ swaps in the last block go through. */
  moved: readonly string[]
  /** Where looking in turn goes on. */
  nextPool: number
}

/** Round pools: a gain below a two-thousandth of what is paid is left alone. */
const GAIN_MIN = 5e-4

export type Arbitraging = {
  state: ChainState
  outside: Outside
  memory: ArbitrageMemory
  sender: string
  /** Tokens that triangles go through. */
  hubs: readonly string[]
  /** How many pools are looked at in turn, and what a gap to the outside price has to be above the fee. */
  rules: WorldFixture['arbitrage']
}

/** Swaps for the next block, ahead of all others; no pool is in two of them. */
export function arbitrage(arbitraging: Arbitraging): readonly SwapTransaction[] {
  const { state, outside, memory, sender } = arbitraging
  if (state.configuration.paused) return []
  const taken = new Set<string>()
  const spent = new Map<string, bigint>()
  const swaps: SwapTransaction[] = []
  const heldOf = (tokenId: string) => balanceOf(state, sender, tokenId) - (spent.get(tokenId) ?? 0n)
  const isFree = (pool: ChainPool | undefined): pool is ChainPool =>
    pool !== undefined &&
    !taken.has(pool.key) &&
    tradingBar(state, pool) === undefined &&
    isPriced(outside, pool)
  for (const key of new Set([...memory.moved, ...poolsInTurn(arbitraging)])) {
    const pool = state.pools.get(key)
    if (!isFree(pool)) continue
    const found = closeGap(arbitraging, pool, { isFree, heldOf })
    if (!found) continue
    const { tokenIn, pools, amountIn, amountOutMin } = found
    for (const hop of pools) taken.add(hop)
    spent.set(tokenIn, (spent.get(tokenIn) ?? 0n) + amountIn)
    const isPrivate = false
    swaps.push({ kind: 'swap', sender, recipient: sender, tokenIn, pools, amountIn, amountOutMin, isPrivate })
  }
  return swaps
}

/**
 * What arbitrage looks at before the next block: what it moved itself it need not, or where blocks are far apart, and
 * prices move beyond fees from each to the next, it would trade in every pool in every block.
 */
export function rememberMoved(
  memory: ArbitrageMemory,
  sent: readonly Transaction[],
  arbitrageur: string,
): void {
  memory.moved = sent.flatMap((transaction) =>
    transaction.kind === 'swap' && transaction.sender !== arbitrageur ? transaction.pools : [],
  )
}

function poolsInTurn({ state: { poolKeys }, memory, rules }: Arbitraging): readonly string[] {
  const count = Math.min(rules.poolsPerBlock, poolKeys.length)
  const first = memory.nextPool
  memory.nextPool = poolKeys.length === 0 ? 0 : (first + count) % poolKeys.length
  return Array.from({ length: count }, (_, place) => poolKeys[(first + place) % poolKeys.length] ?? '')
}

type Found = Pick<SwapTransaction, 'tokenIn' | 'pools' | 'amountIn' | 'amountOutMin'>
type Means = {
  isFree: (pool: ChainPool | undefined) => pool is ChainPool
  heldOf: (tokenId: string) => bigint
}

/**
 * Where nothing is to be gained against the outside price in any pool of a cycle, nothing is on the way round: gaps add
 * up. So a pool beyond its fee is where to begin.
 */
function closeGap(arbitraging: Arbitraging, pool: ChainPool, means: Means): Found | undefined {
  const { state, outside, rules } = arbitraging
  const gap = gapBeyondFee(state, outside, pool)
  if (gap === 0) return undefined
  const round = closeCycle(arbitraging, pool, means)
  if (round || Math.abs(gap) <= rules.gapMin) return round
  const trade = closingTrade(pool, gap, means.heldOf)
  return trade && { ...trade, pools: [pool.key], amountOutMin: 1n }
}

/** The cycle through the pool that gains most at its prices, in the amount that gains most. */
function closeCycle(arbitraging: Arbitraging, pool: ChainPool, { isFree, heldOf }: Means): Found | undefined {
  let best: { cycle: Cycle; rate: number } | undefined
  for (const cycle of cyclesThrough(arbitraging, pool, isFree)) {
    const rate = rateOf(cycle)
    if (rate > (best?.rate ?? 1 + GAIN_MIN)) best = { cycle, rate }
  }
  if (!best) return undefined
  const cycle = fromHub(best.cycle, arbitraging.hubs)
  const tokenIn = cycle[0]?.tokenIn ?? ''
  const amountIn = bestAmount(cycle, { amountMax: heldOf(tokenIn), gainMin: GAIN_MIN })
  if (amountIn === undefined) return undefined
  return { tokenIn, pools: cycle.map((hop) => hop.pool.key), amountIn, amountOutMin: amountIn }
}

/** Both ways round: with each other pool of the pair, and over each hub with pools of either token. */
function cyclesThrough(
  { state, hubs }: Arbitraging,
  pool: ChainPool,
  isFree: Means['isFree'],
): readonly Cycle[] {
  const { token0, token1 } = pool
  const poolsOf = (tokenA: string, tokenB: string) =>
    (state.poolsByPair.get(pairOf(tokenA, tokenB)) ?? []).map((key) => state.pools.get(key)).filter(isFree)
  const pairs = poolsOf(token0, token1)
    .filter((rival) => rival !== pool)
    .map((rival) => cycleOf(token0, [pool, rival]))
  const triangles = hubs
    .filter((hub) => hub !== token0 && hub !== token1)
    .flatMap((hub) => {
      const homeward = poolsOf(hub, token0)
      if (homeward.length === 0) return []
      return poolsOf(token1, hub).flatMap((onward) =>
        homeward.map((home) => cycleOf(token0, [pool, onward, home])),
      )
    })
  return [...pairs, ...triangles].flatMap((cycle) => [cycle, reversed(cycle)])
}

function cycleOf(tokenIn: string, pools: readonly ChainPool[]): Cycle {
  let token = tokenIn
  return pools.map((pool) => {
    const hop = { pool, tokenIn: token }
    token = otherToken(pool, token)
    return hop
  })
}

function reversed(cycle: Cycle): Cycle {
  return cycle.map(({ pool, tokenIn }): Hop => ({ pool, tokenIn: otherToken(pool, tokenIn) })).reverse()
}

/** The same round begun at a hub token, where it has one: that is what an arbitrageur holds most of. */
function fromHub(cycle: Cycle, hubs: readonly string[]): Cycle {
  const place = cycle.findIndex(({ tokenIn }) => hubs.includes(tokenIn))
  return place <= 0 ? cycle : [...cycle.slice(place), ...cycle.slice(0, place)]
}

/** Digits of the price that a trade goes to: more than a fee of one pip needs. */
const TARGET_DIGITS = 9

type ClosingTrade = { tokenIn: string; amountIn: bigint }

/** How far the pool’s price is from the outside one beyond its fee, as a logarithm; negative where it pays too little. */
function gapBeyondFee(state: ChainState, outside: Outside, pool: ChainPool): number {
  const market = priceUsdOf(outside, pool.token0) / priceUsdOf(outside, pool.token1)
  const gap = Math.log(wholePrice(state, pool) / market)
  const fee = -Math.log(1 - pool.amm.feePips / 1e6)
  return Math.sign(gap) * Math.max(0, Math.abs(gap) - fee)
}

/**
 * The trade that takes the gap beyond the fee away, as far as what is held pays for it; undefined where nothing is, or
 * the pool has nothing to give.
 */
function closingTrade(
  pool: ChainPool,
  gap: number,
  heldOf: (tokenId: string) => bigint,
): ClosingTrade | undefined {
  const zeroForOne = gap > 0
  const tokenIn = zeroForOne ? pool.token0 : pool.token1
  const held = heldOf(tokenIn)
  if (held <= 0n) return undefined
  // The square root of the price moves by half of what its logarithm does.
  const sqrtPriceLimitX96 = scaledBy(pool.amm.sqrtPriceX96, Math.exp(-gap / 2), TARGET_DIGITS)
  const amountIn = amountUntil(pool, { zeroForOne, amountSpecified: held, sqrtPriceLimitX96 })
  return amountIn > 0n ? { tokenIn, amountIn } : undefined
}

/** What the pool takes until its price is there; 0 where it gives nothing for it. */
function amountUntil({ amm }: ChainPool, options: Parameters<typeof computeSwap>[1]): bigint {
  try {
    const { amount0, amount1 } = computeSwap(amm, options)
    const [taken, given] = options.zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
    return given > 0n ? taken : 0n
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
}

type Hop = { pool: ChainPool; tokenIn: string }

/** Hops that end in the token that the first one takes, through no pool twice. */
export type Cycle = readonly Hop[]

/** Besides the size worked out, its half and its quarter: ranges end, and a price moves further than it says. */
const SIZES = 3

/** What a little of the token becomes on its way round, fees taken: above 1 there is a gap to close. */
export function rateOf(cycle: Cycle): number {
  return cycle.reduce((rate, hop) => rate * spotRate(hop), 1)
}

function spotRate({ pool, tokenIn }: Hop): number {
  if (pool.amm.liquidity === 0n) return 0
  const price = roughPrice(pool)
  return (tokenIn === pool.token0 ? price : 1 / price) * keptOf(pool)
}

function keptOf({ amm }: ChainPool): number {
  return 1 - amm.feePips / 1e6
}

/**
 * The amount that gains most on its way round, as far as the ranges go that the prices stand in; where that gains
 * nothing, by exact quote, or not above a share `gainMin` of what is paid, its half or its quarter. Undefined where none does.
 */
export function bestAmount(
  cycle: Cycle,
  options: { amountMax: bigint; gainMin: number },
): bigint | undefined {
  let amountIn = lesser(roughBestAmount(cycle), options.amountMax)
  for (let tried = 0; tried < SIZES && amountIn > 0n; tried++, amountIn /= 2n)
    if (Number(gainOf(cycle, amountIn)) > options.gainMin * Number(amountIn)) return amountIn
  return undefined
}

/**
 * Within their ranges pools hold x = L/√P and y = L√P (whitepaper 2.2), and give y·kx'/(x + kx') for x', k what the fee
 * leaves. Hops one after the other are again of the form a·x'/(b + c·x'), and a·x'/(b + c·x') - x' is highest at
 * x' = (√(ab) - b)/c.
 */
function roughBestAmount(cycle: Cycle): bigint {
  let [a, b, c] = [1, 1, 0]
  for (const { pool, tokenIn } of cycle) {
    const sqrtPrice = Number(pool.amm.sqrtPriceX96) / 2 ** 96
    const liquidity = Number(pool.amm.liquidity)
    const [held0, held1] = [liquidity / sqrtPrice, liquidity * sqrtPrice]
    const [held, given] = tokenIn === pool.token0 ? [held0, held1] : [held1, held0]
    const kept = keptOf(pool)
    // Scaled by what the pool holds: products of three would leave the range of floats.
    c = c + (kept * a) / held
    a = (kept * a * given) / held
  }
  return c > 0 && a > b ? toUnits((Math.sqrt(a * b) - b) / c) : 0n
}

/** Exact; 0 where a pool refuses, or takes less than all. */
function gainOf(cycle: Cycle, amountIn: bigint): bigint {
  let held = amountIn
  try {
    for (const { pool, tokenIn } of cycle) {
      const zeroForOne = tokenIn === pool.token0
      const { amount0, amount1 } = computeSwap(pool.amm, { zeroForOne, amountSpecified: held })
      const [taken, given] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
      if (taken !== held || given <= 0n) return 0n
      held = given
    }
  } catch (error) {
    if (error instanceof AmmError) return 0n
    throw error
  }
  return held - amountIn
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
