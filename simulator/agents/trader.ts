import { balanceOf } from '../chain/ledger.ts'
import type { ChainPool, ChainState } from '../chain/state.ts'
import { tradingBar } from '../chain/tradable.ts'
import type { SwapTransaction } from '../chain/transaction.ts'
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { toBaseUnits } from './exact.ts'
import { type Outside, priceUsdOf } from './market.ts'
import { logNormal } from './normal.ts'
import type { People } from './people.ts'
import { otherToken, wholePrice } from './pool-price.ts'

/** The share of swaps by the accounts that the world was given. */
const ACCOUNT_SHARE = 0.6
/** The share of traders who compare the pool with the market; the others trade either way. */
const INFORMED_SHARE = 0.7
/** No trade pays more than a fiftieth of what the pool holds of the token. */
const POOL_DIVISOR = 50n

export type Trading = {
  state: ChainState
  outside: Outside
  people: People
  fixture: WorldFixture
  stream: RandomStream
}

/** The block's swaps: as many as the fixture says, give or take the fraction. */
export function trade(trading: Trading): readonly SwapTransaction[] {
  const { state, fixture, stream } = trading
  if (state.configuration.paused || state.poolKeys.length === 0) return []
  const count = Math.floor(fixture.swapsPerBlock + stream.float())
  return Array.from({ length: count }, () =>
    draftSwap(trading, state.pools.get(stream.pick(state.poolKeys))),
  ).filter((swap) => swap !== undefined)
}

function draftSwap(trading: Trading, pool: ChainPool | undefined): SwapTransaction | undefined {
  const { state, people, fixture, stream } = trading
  if (!pool || tradingBar(state, pool)) return undefined
  const sender = drawTrader(people, stream)
  const wanted = drawDirection(trading, pool)
  const tokenIn = [wanted, otherToken(pool, wanted)].find((tokenId) => balanceOf(state, sender, tokenId) > 0n)
  if (tokenIn === undefined) return undefined
  const amountIn = drawAmount(trading, pool, tokenIn, balanceOf(state, sender, tokenIn))
  if (amountIn <= 0n) return undefined
  const pools = drawRoute(trading, pool, tokenIn)
  const isPrivate = stream.float() < fixture.privateShare
  return { kind: 'swap', sender, recipient: sender, tokenIn, pools, amountIn, amountOutMin: 1n, isPrivate }
}

function drawTrader({ accounts, traders }: People, stream: RandomStream): string {
  return accounts.length > 0 && stream.float() < ACCOUNT_SHARE ? stream.pick(accounts) : stream.pick(traders)
}

/** Informed traders sell what the pool pays too much for, which keeps pools near the market. */
function drawDirection({ state, outside, stream }: Trading, pool: ChainPool): string {
  if (stream.float() >= INFORMED_SHARE) return stream.pick([pool.token0, pool.token1])
  const marketPrice = priceUsdOf(outside, pool.token0) / priceUsdOf(outside, pool.token1)
  return wholePrice(state, pool) > marketPrice ? pool.token0 : pool.token1
}

function drawAmount(trading: Trading, pool: ChainPool, tokenIn: string, balance: bigint): bigint {
  const { state, outside, fixture, stream } = trading
  const sizeUsd = logNormal(stream, fixture.tradeSizeUsd)
  const wanted = toBaseUnits(sizeUsd / priceUsdOf(outside, tokenIn), state.tokens.get(tokenIn)?.decimals ?? 0)
  const most = (tokenIn === pool.token0 ? pool.balance0 : pool.balance1) / POOL_DIVISOR
  return [wanted, most, balance].reduce((least, amount) => (amount < least ? amount : least))
}

/** The pool, and for some swaps one or two more that lead on, never back to a token that was there. */
function drawRoute({ state, fixture, stream }: Trading, pool: ChainPool, tokenIn: string): readonly string[] {
  const route = [pool.key]
  const visited = new Set([tokenIn])
  let token = otherToken(pool, tokenIn)
  const hops = stream.float() < fixture.multiHopShare ? stream.int(2, 3) : 1
  while (route.length < hops) {
    visited.add(token)
    const from = token
    const onward = (state.poolsByToken.get(from) ?? []).filter((key) => leadsOn(state, key, from, visited))
    const next = onward.length === 0 ? undefined : state.pools.get(stream.pick(onward))
    if (!next) return route
    route.push(next.key)
    token = otherToken(next, from)
  }
  return route
}

function leadsOn(state: ChainState, key: string, from: string, visited: ReadonlySet<string>): boolean {
  const pool = state.pools.get(key)
  return pool !== undefined && !tradingBar(state, pool) && !visited.has(otherToken(pool, from))
}
