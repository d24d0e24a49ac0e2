/**
 * Closes price gaps that exceed fees: between pools of one pair, around triangles with a hub token, and between a pool and the
 * outside price. Checks the pools that moved since the last block and a few others in rotation (outside prices move too), so the
 * cost per block does not depend on the number of pools.
 */

import { AmmError } from '../amm/amm-error.ts'
import { computeSwap } from '../amm/swap.ts'
import { getBalance } from '../chain/ledger.ts'
import { pairKey, tradingBar } from '../chain/pair.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import type { SwapTransaction, Transaction } from '../chain/transaction.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { scaledBy, toUnits } from './exact.ts'
import { getPriceUsd, isPriced, type Outside, otherToken, roughPrice, wholePrice } from './market.ts'

export type ArbitrageMemory = {
  /** Keys of pools that other agents swapped through in the last block. */
  moved: readonly string[]
  nextPool: number
}

/** Smallest gain around a cycle, as a share of the input, that is worth a trade. */
const GAIN_MIN = 5e-4

export type Arbitraging = {
  state: ChainState
  outside: Outside
  memory: ArbitrageMemory
  sender: string
  hubs: readonly string[]
  rules: WorldFixture['arbitrage']
}

/** Returns swaps to place ahead of all others; no pool is in two of them. */
export function arbitrage(arbitraging: Arbitraging): readonly SwapTransaction[] {
  const { state, outside, memory, sender } = arbitraging
  if (state.configuration.paused) return []
  const taken = new Set<string>()
  const spent = new Map<string, bigint>()
  const swaps: SwapTransaction[] = []
  const available = (tokenId: string) => getBalance(state, sender, tokenId) - (spent.get(tokenId) ?? 0n)
  const isFree = (pool: ChainPool | undefined): pool is ChainPool =>
    pool !== undefined &&
    !taken.has(pool.key) &&
    tradingBar(state, pool) === undefined &&
    isPriced(outside, pool)
  for (const key of new Set([...memory.moved, ...poolsInTurn(arbitraging)])) {
    const pool = state.pools.get(key)
    if (!isFree(pool)) continue
    const found = closeGap(arbitraging, pool, { isFree, available })
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
 * Remembers the pools for the next block. Excludes arbitrage's own swaps: if blocks are far apart, prices move beyond fees
 * between any two, and arbitrage would trade in every pool in every block.
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
  available: (tokenId: string) => bigint
}

/** Starts from a pool whose gap exceeds its fee. Gaps add up, so a cycle without any such pool has no gain. */
function closeGap(arbitraging: Arbitraging, pool: ChainPool, means: Means): Found | undefined {
  const { state, outside, rules } = arbitraging
  const gap = gapBeyondFee(state, outside, pool)
  if (gap === 0) return undefined
  const round = closeCycle(arbitraging, pool, means)
  if (round || Math.abs(gap) <= rules.gapMin) return round
  const trade = closingTrade(pool, gap, means.available)
  return trade && { ...trade, pools: [pool.key], amountOutMin: 1n }
}

/** Finds the cycle through the pool with the highest rate, and the amount with the highest gain. */
function closeCycle(
  arbitraging: Arbitraging,
  pool: ChainPool,
  { isFree, available }: Means,
): Found | undefined {
  let best: { pools: readonly ChainPool[]; rate: number } | undefined
  for (const pools of cyclesThrough(arbitraging, pool, isFree)) {
    const rate = computeRate(pool.token0, pools)
    if (rate > (best?.rate ?? 1 + GAIN_MIN)) best = { pools, rate }
  }
  if (!best) return undefined
  const cycle = fromHub(buildCycle(pool.token0, best.pools), arbitraging.hubs)
  const tokenIn = cycle[0]?.tokenIn ?? ''
  const amountIn = bestAmount(cycle, { amountMax: available(tokenIn), gainMin: GAIN_MIN })
  if (amountIn === undefined) return undefined
  return { tokenIn, pools: cycle.map((hop) => hop.pool.key), amountIn, amountOutMin: amountIn }
}

/**
 * Pools of each cycle from token0, in both directions: through each other pool of the pair, and via each hub with pools of either
 * token.
 */
function* cyclesThrough(
  { state, hubs }: Arbitraging,
  pool: ChainPool,
  isFree: Means['isFree'],
): Generator<readonly ChainPool[]> {
  const { token0, token1 } = pool
  const findPools = (tokenA: string, tokenB: string) =>
    (state.poolsByPair.get(pairKey(tokenA, tokenB)) ?? []).map((key) => state.pools.get(key)).filter(isFree)
  for (const rival of findPools(token0, token1)) {
    if (rival === pool) continue
    yield [pool, rival]
    yield [rival, pool]
  }
  for (const hub of hubs) {
    if (hub === token0 || hub === token1) continue
    const homeward = findPools(hub, token0)
    if (homeward.length === 0) continue
    for (const onward of findPools(token1, hub))
      for (const home of homeward) {
        yield [pool, onward, home]
        yield [home, onward, pool]
      }
  }
}

function buildCycle(tokenIn: string, pools: readonly ChainPool[]): Cycle {
  let token = tokenIn
  return pools.map((pool) => {
    const hop = { pool, tokenIn: token }
    token = otherToken(pool, token)
    return hop
  })
}

/** Rotates the cycle to start at a hub token, if it has one: the arbitrageur holds most of those. */
function fromHub(cycle: Cycle, hubs: readonly string[]): Cycle {
  const place = cycle.findIndex(({ tokenIn }) => hubs.includes(tokenIn))
  return place <= 0 ? cycle : [...cycle.slice(place), ...cycle.slice(0, place)]
}

/** Significant digits of the target price: more than a fee of one pip requires. */
const TARGET_DIGITS = 9

type ClosingTrade = { tokenIn: string; amountIn: bigint }

/** Log distance of the pool's price from the outside price, beyond the fee; negative if the pool pays too little. */
function gapBeyondFee(state: ChainState, outside: Outside, pool: ChainPool): number {
  const market = getPriceUsd(outside, pool.token0) / getPriceUsd(outside, pool.token1)
  const gap = Math.log(wholePrice(state, pool) / market)
  const fee = -Math.log(1 - pool.amm.feePips / 1e6)
  return Math.sign(gap) * Math.max(0, Math.abs(gap) - fee)
}

/** Returns the trade that closes the gap beyond the fee, within the arbitrageur's balance; undefined if not possible. */
function closingTrade(
  pool: ChainPool,
  gap: number,
  available: (tokenId: string) => bigint,
): ClosingTrade | undefined {
  const zeroForOne = gap > 0
  const tokenIn = zeroForOne ? pool.token0 : pool.token1
  const held = available(tokenIn)
  if (held <= 0n) return undefined
  // The log of the square-root price moves by half as much.
  const sqrtPriceLimitX96 = scaledBy(pool.amm.sqrtPriceX96, Math.exp(-gap / 2), TARGET_DIGITS)
  const amountIn = amountUntil(pool, { zeroForOne, amountSpecified: held, sqrtPriceLimitX96 })
  return amountIn > 0n ? { tokenIn, amountIn } : undefined
}

/** Returns the input that moves the pool to the limit price; 0 if there is no output. */
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

/** Hops that end in the first hop's input token; visits no pool twice. */
export type Cycle = readonly Hop[]

/** Tries the estimated amount, a half and a quarter of it: ranges end, and the price then moves further than estimated. */
const SIZES = 3

/** Marginal return of one round trip, after fees; above 1 there is a gap to close. */
export function computeRate(tokenIn: string, pools: readonly ChainPool[]): number {
  let rate = 1
  let token = tokenIn
  for (const pool of pools) {
    rate *= spotRate(pool, token)
    token = otherToken(pool, token)
  }
  return rate
}

function spotRate(pool: ChainPool, tokenIn: string): number {
  if (pool.amm.liquidity === 0n) return 0
  const price = roughPrice(pool)
  return (tokenIn === pool.token0 ? price : 1 / price) * computeKeptShare(pool)
}

function computeKeptShare({ amm }: ChainPool): number {
  return 1 - amm.feePips / 1e6
}

/**
 * Returns the amount with the highest gain within the current ranges. If its exact quote does not gain more than the share
 * `gainMin` of the input, tries a half and a quarter of it. Undefined if none does.
 */
export function bestAmount(
  cycle: Cycle,
  options: { amountMax: bigint; gainMin: number },
): bigint | undefined {
  let amountIn = lesser(roughBestAmount(cycle), options.amountMax)
  for (let tried = 0; tried < SIZES && amountIn > 0n; tried++, amountIn /= 2n)
    if (Number(computeGain(cycle, amountIn)) > options.gainMin * Number(amountIn)) return amountIn
  return undefined
}

/**
 * Within a range a pool holds x = L/√P and y = L√P (whitepaper 2.2) and gives y·kx'/(x + kx') for x', with k = 1 - fee. A chain
 * of hops has the form a·x'/(b + c·x'), and a·x'/(b + c·x') - x' peaks at x' = (√(ab) - b)/c.
 */
function roughBestAmount(cycle: Cycle): bigint {
  let [a, b, c] = [1, 1, 0]
  for (const { pool, tokenIn } of cycle) {
    const sqrtPrice = Number(pool.amm.sqrtPriceX96) / 2 ** 96
    const liquidity = Number(pool.amm.liquidity)
    const [held0, held1] = [liquidity / sqrtPrice, liquidity * sqrtPrice]
    const [held, given] = tokenIn === pool.token0 ? [held0, held1] : [held1, held0]
    const kept = computeKeptShare(pool)
    // Scaled by the pool's balance: a product of three amounts would overflow a float.
    c = c + (kept * a) / held
    a = (kept * a * given) / held
  }
  return c > 0 && a > b ? toUnits((Math.sqrt(a * b) - b) / c) : 0n
}

/** Exact; 0 if a pool refuses the swap or takes only part of the amount. */
function computeGain(cycle: Cycle, amountIn: bigint): bigint {
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
