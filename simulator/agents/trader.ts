import { getBalance } from '../chain/ledger.ts'
import { tradingBar } from '../chain/pair.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import type { SwapTransaction } from '../chain/transaction.ts'
import { logNormal, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { scaledBy, toBaseUnits, toUnits } from './exact.ts'
import { getPriceUsd, isPriced, type Outside, otherToken, roughPrice, wholePrice } from './market.ts'
import type { People } from './people.ts'

const ACCOUNT_SHARE = 0.6
/** Share of traders who compare the pool with the market; the others trade in either direction. */
const INFORMED_SHARE = 0.7
const NEWEST_POOLS = 20
const ONWARD_TRIES = 4

export type Trading = {
  state: ChainState
  outside: Outside
  people: People
  fixture: WorldFixture
  stream: RandomStream
}

/** The fixture's number of swaps; a fraction is rounded at random. */
export function trade(trading: Trading): readonly SwapTransaction[] {
  const { state, fixture, stream } = trading
  if (state.configuration.paused || state.poolKeys.length === 0) return []
  const count = Math.floor(fixture.swapsPerBlock + stream.float())
  return Array.from({ length: count }, () => draftSwap(trading, state.pools.get(drawPool(trading)))).filter(
    (swap) => swap !== undefined,
  )
}

function drawPool({ state: { poolKeys }, fixture, stream }: Trading): string {
  const { attentionShare } = fixture.launches
  const last = poolKeys.length - 1
  const first =
    attentionShare > 0 && stream.float() < attentionShare ? Math.max(0, last + 1 - NEWEST_POOLS) : 0
  return poolKeys[stream.int(first, last)] ?? ''
}

function draftSwap(trading: Trading, pool: ChainPool | undefined): SwapTransaction | undefined {
  const { state, outside, people, fixture, stream } = trading
  if (!pool || tradingBar(state, pool) || !isPriced(outside, pool)) return undefined
  const sender = drawTrader(people, stream)
  const wanted = drawDirection(trading, pool)
  const tokenIn = [wanted, otherToken(pool, wanted)].find(
    (tokenId) => getBalance(state, sender, tokenId) > 0n,
  )
  if (tokenIn === undefined) return undefined
  const amountIn = drawAmount(trading, pool, tokenIn, getBalance(state, sender, tokenIn))
  if (amountIn <= 0n) return undefined
  const pools = drawRoute(trading, pool, tokenIn)
  const isPrivate = stream.float() < fixture.privateShare
  const amountOutMin = leastAcceptable(trading, pools, tokenIn, amountIn)
  return { kind: 'swap', sender, recipient: sender, tokenIn, pools, amountIn, amountOutMin, isPrivate }
}

/** The output promised by the pools' prices, after fees and tolerance; ignores depth. */
function leastAcceptable(
  { state, fixture: { slippageTolerance } }: Trading,
  pools: readonly string[],
  tokenIn: string,
  amountIn: bigint,
): bigint {
  if (slippageTolerance === null) return 1n
  let token = tokenIn
  let expected = Number(amountIn)
  for (const key of pools) {
    const pool = state.pools.get(key)
    if (!pool) return 1n
    const price = roughPrice(pool)
    expected *= (token === pool.token0 ? price : 1 / price) * (1 - pool.amm.feePips / 1e6)
    token = otherToken(pool, token)
  }
  const least = toUnits(expected * (1 - slippageTolerance))
  return least > 0n ? least : 1n
}

function drawTrader({ accounts, traders }: People, stream: RandomStream): string {
  return accounts.length > 0 && stream.float() < ACCOUNT_SHARE ? stream.pick(accounts) : stream.pick(traders)
}

/** Informed traders sell what the pool overprices, which keeps pools near the market. */
function drawDirection({ state, outside, stream }: Trading, pool: ChainPool): string {
  if (stream.float() >= INFORMED_SHARE) return stream.pick([pool.token0, pool.token1])
  const marketPrice = getPriceUsd(outside, pool.token0) / getPriceUsd(outside, pool.token1)
  return wholePrice(state, pool) > marketPrice ? pool.token0 : pool.token1
}

function drawAmount(trading: Trading, pool: ChainPool, tokenIn: string, balance: bigint): bigint {
  const { state, outside, fixture, stream } = trading
  const sizeUsd = logNormal(stream, fixture.tradeSizeUsd)
  const wanted = toBaseUnits(
    sizeUsd / getPriceUsd(outside, tokenIn),
    state.tokens.get(tokenIn)?.decimals ?? 0,
  )
  const most = scaledBy(tokenIn === pool.token0 ? pool.balance0 : pool.balance1, fixture.tradePoolShareMax)
  return [wanted, most, balance].reduce((least, amount) => (amount < least ? amount : least))
}

/** Starts with the pool and adds one or two more for some swaps; never returns to a token of the route. */
function drawRoute(trading: Trading, pool: ChainPool, tokenIn: string): readonly string[] {
  const { fixture, stream } = trading
  const route = [pool.key]
  const visited = [tokenIn]
  let token = otherToken(pool, tokenIn)
  const hops = stream.float() < fixture.multiHopShare ? stream.int(2, 3) : 1
  while (route.length < hops) {
    visited.push(token)
    const from = token
    const next = drawOnward(trading, from, visited)
    if (!next) return route
    route.push(next.key)
    token = otherToken(next, from)
  }
  return route
}

/** Limited attempts: a hub token can have thousands of pools, most of which qualify. */
function drawOnward(
  { state, outside, stream }: Trading,
  from: string,
  visited: readonly string[],
): ChainPool | undefined {
  const keys = state.poolsByToken.get(from) ?? []
  for (let tried = 0; tried < ONWARD_TRIES && keys.length > 0; tried++) {
    const pool = state.pools.get(stream.pick(keys))
    if (!pool || tradingBar(state, pool) || !isPriced(outside, pool)) continue
    if (!visited.includes(otherToken(pool, from))) return pool
  }
  return undefined
}
