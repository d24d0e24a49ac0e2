/**
 * What agents think tokens are worth: outside the chain, and moving. One common factor moves all prices, each by its
 * beta, and each moves by itself besides (the single-index model, Sharpe 1963): ln P = own + beta × common.
 *
 * A price moves when it is looked at, over all the time since it last was: its law is that of one moved in every block,
 * and a block costs what it looks at, however many tokens there are.
 */

import type { ChainPool, ChainState } from '../chain/state.ts'
import { normal, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

/** Plain data: a snapshot copies it. */
export type Market = {
  nowMs: number
  /** The token that stays at one dollar. */
  stableId: string
  common: Motion
  tokens: Map<string, TokenPrice>
}

export type TokenPrice = {
  beta: number
  own: Motion
  /** Dollars for a whole token at `own.atMs`. */
  priceUsd: number
}

/** A market and what it takes to look at it. */
export type Outside = { market: Market; rules: WorldFixture['market']; stream: RandomStream }

/** Prices stay within what amounts can express: a worthless or priceless token ends trading in its pools. */
const PRICE_USD_MIN = 1e-9
const PRICE_USD_MAX = 1e9

/** A market in which only the stable token has a price; others get theirs as they are created. */
export function openMarket(
  rules: WorldFixture['market'],
  stream: RandomStream,
  { stableId, nowMs }: { stableId: string; nowMs: number },
): Market {
  const common = openMotion(rules.regimes, stream, { log: 0, atMs: nowMs })
  return { nowMs, stableId, common, tokens: new Map() }
}

/** Brings a token to the market. */
export function quoteToken({ market, rules, stream }: Outside, tokenId: string, priceUsd: number): void {
  const { min, max } = rules.beta
  const beta = min + (max - min) * stream.float()
  const at = { log: Math.log(priceUsd) - beta * market.common.log, atMs: market.nowMs }
  market.tokens.set(tokenId, { beta, own: openMotion(rules.regimes, stream, at), priceUsd })
}

/** Moves the time on, and what is common to all prices with it. */
export function moveMarket({ market, rules, stream }: Outside, nowMs: number): void {
  market.nowMs = Math.max(market.nowMs, nowMs)
  const { regimes, common: moves } = rules
  advanceMotion(market.common, { regimes, moves, stream, untilMs: market.nowMs })
}

/** Whether agents have a price for both tokens of a pool. What others brought to the chain has none; they let it be. */
export function isPriced(
  { market }: Outside,
  { token0, token1 }: { token0: string; token1: string },
): boolean {
  return hasPrice(market, token0) && hasPrice(market, token1)
}

function hasPrice({ stableId, tokens }: Market, tokenId: string): boolean {
  return tokenId === stableId || tokens.has(tokenId)
}

/** Dollars for a whole token now; it must have a price. */
export function priceUsdOf({ market, rules, stream }: Outside, tokenId: string): number {
  if (tokenId === market.stableId) return 1
  const token = market.tokens.get(tokenId)
  if (token === undefined) throw new RangeError(`no agent has a price for ${tokenId}`)
  if (token.own.atMs === market.nowMs) return token.priceUsd
  const { regimes, own: moves } = rules
  advanceMotion(token.own, { regimes, moves, stream, untilMs: market.nowMs })
  const priceUsd = Math.exp(token.own.log + token.beta * market.common.log)
  token.priceUsd = Math.min(PRICE_USD_MAX, Math.max(PRICE_USD_MIN, priceUsd))
  return token.priceUsd
}

/** Dollars for an amount in base units, roughly. */
export function valueUsd(outside: Outside, token: { id: string; decimals: number }, amount: bigint): number {
  return (Number(amount) / 10 ** token.decimals) * priceUsdOf(outside, token.id)
}

/** A first price, each order of magnitude as likely. */
export function drawPriceUsd(
  { firstPriceUsd: { min, max } }: WorldFixture['market'],
  stream: RandomStream,
): number {
  return min * Math.exp(stream.float() * Math.log(max / min))
}

/**
 * How the logarithm of a price moves: Brownian motion whose volatility and trend depend on a regime (Hamilton 1989),
 * with jumps that come as a Poisson process and are normal in size (Merton 1976). The law is exact whatever the steps:
 * regimes and jumps wait exponentially, and exponential waiting may be begun anew at any moment.
 *
 * The logarithm, not the price, has no drift of its own: after any time half of all prices stand higher. A price without
 * drift (a martingale) would sink towards nothing in nearly every world that runs for long.
 */
export type Regimes = WorldFixture['market']['regimes']
export type RegimeName = keyof Regimes
/** `volatilityPerDay` and `jumpDeviation` are standard deviations of the logarithm. */
export type Moves = WorldFixture['market']['own']

type Motion = {
  /** What has been added to the logarithm so far. */
  log: number
  regime: RegimeName
  /** Where a trend goes; drawn whenever a regime begins. */
  direction: 1 | -1
  atMs: number
}

export const DAY_MS = 86_400_000
const HOURS_PER_DAY = 24
const NAMES: readonly RegimeName[] = ['quiet', 'trending', 'turbulent']

/** In each regime with the share of time that it has in the long run, which is in proportion to its mean duration. */
export function openMotion(
  regimes: Regimes,
  stream: RandomStream,
  at: { log: number; atMs: number },
): Motion {
  const hours = NAMES.reduce((sum, name) => sum + regimes[name].meanHours, 0)
  let left = stream.float() * hours
  const regime = NAMES.find((name) => {
    left -= regimes[name].meanHours
    return left < 0
  })
  return { ...at, regime: regime ?? 'turbulent', direction: drawDirection(stream) }
}

/** Moves on to `untilMs`, where it stands before it. Of jump and change of regime the earlier one happens. */
export function advanceMotion(
  motion: Motion,
  {
    regimes,
    moves,
    stream,
    untilMs,
  }: { regimes: Regimes; moves: Moves; stream: RandomStream; untilMs: number },
): void {
  while (motion.atMs < untilMs) {
    const regime = regimes[motion.regime]
    const eventsPerDay = moves.jumpsPerDay + HOURS_PER_DAY / regime.meanHours
    const waitDays = -Math.log(1 - stream.float()) / eventsPerDay
    const leftDays = (untilMs - motion.atMs) / DAY_MS
    const days = Math.min(waitDays, leftDays)
    motion.log +=
      motion.direction * regime.trendPerDay * days +
      moves.volatilityPerDay * regime.volatilityMultiplier * Math.sqrt(days) * normal(stream)
    if (waitDays >= leftDays) {
      motion.atMs = untilMs
    } else {
      motion.atMs += waitDays * DAY_MS
      if (stream.float() * eventsPerDay < moves.jumpsPerDay)
        motion.log += moves.jumpDeviation * normal(stream)
      else changeRegime(motion, stream)
    }
  }
}

/** To one of the other two, each as likely. */
function changeRegime(motion: Motion, stream: RandomStream): void {
  const place = NAMES.indexOf(motion.regime) + stream.int(1, NAMES.length - 1)
  motion.regime = NAMES[place % NAMES.length] ?? 'quiet'
  motion.direction = drawDirection(stream)
}

function drawDirection(stream: RandomStream): 1 | -1 {
  return stream.float() < 0.5 ? 1 : -1
}

/** token1 for a token0, both in base units, roughly. */
export function roughPrice({ amm }: ChainPool): number {
  const sqrtPrice = Number(amm.sqrtPriceX96) / 2 ** 96
  return sqrtPrice * sqrtPrice
}

/** token1 for a whole token0, roughly. */
export function wholePrice({ tokens }: ChainState, pool: ChainPool): number {
  const decimals = (tokens.get(pool.token0)?.decimals ?? 0) - (tokens.get(pool.token1)?.decimals ?? 0)
  return roughPrice(pool) * 10 ** decimals
}

/** The token of the pool that is not this one. */
export function otherToken({ token0, token1 }: ChainPool, token: string): string {
  return token === token0 ? token1 : token0
}
