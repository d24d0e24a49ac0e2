/**
 * Outside token prices, as agents see them. One common factor moves all prices, each by its beta, and each also moves on its own
 * (the single-index model, Sharpe 1963): ln P = own + beta × common. A price is advanced when it is read, over all the time since
 * its last read. Its distribution equals that of a price advanced in every block, so the cost of a block does not depend on the
 * number of tokens.
 */

import type { ChainPool, ChainState } from '../chain/state.ts'
import { normal, type RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'

export type Market = {
  nowMs: number
  /** Always worth one dollar. */
  stableId: string
  common: Motion
  tokens: Map<string, TokenPrice>
}

export type TokenPrice = {
  beta: number
  own: Motion
  /** Dollars per whole token at `own.atMs`. */
  priceUsd: number
}

export type Outside = { market: Market; rules: WorldFixture['market']; stream: RandomStream }

/** Keeps prices within what amounts can express: a worthless or priceless token ends trading in its pools. */
const PRICE_USD_MIN = 1e-9
const PRICE_USD_MAX = 1e9

/** Opens a market with a price for the stable token only. */
export function openMarket(
  rules: WorldFixture['market'],
  stream: RandomStream,
  { stableId, nowMs }: { stableId: string; nowMs: number },
): Market {
  const common = openMotion(rules.regimes, stream, { log: 0, atMs: nowMs })
  return { nowMs, stableId, common, tokens: new Map() }
}

export function quoteToken({ market, rules, stream }: Outside, tokenId: string, priceUsd: number): void {
  const { min, max } = rules.beta
  const beta = min + (max - min) * stream.float()
  const at = { log: Math.log(priceUsd) - beta * market.common.log, atMs: market.nowMs }
  market.tokens.set(tokenId, { beta, own: openMotion(rules.regimes, stream, at), priceUsd })
}

export function moveMarket({ market, rules, stream }: Outside, nowMs: number): void {
  market.nowMs = Math.max(market.nowMs, nowMs)
  const { regimes, common: moves } = rules
  advanceMotion(market.common, { regimes, moves, stream, untilMs: market.nowMs })
}

/** False for tokens that others registered: agents have no price for them and ignore their pools. */
export function isPriced(
  { market }: Outside,
  { token0, token1 }: { token0: string; token1: string },
): boolean {
  return hasPrice(market, token0) && hasPrice(market, token1)
}

function hasPrice({ stableId, tokens }: Market, tokenId: string): boolean {
  return tokenId === stableId || tokens.has(tokenId)
}

/** Dollars per whole token now; requires a quoted token. */
export function getPriceUsd({ market, rules, stream }: Outside, tokenId: string): number {
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

/** Approximate. */
export function valueUsd(outside: Outside, token: { id: string; decimals: number }, amount: bigint): number {
  return (Number(amount) / 10 ** token.decimals) * getPriceUsd(outside, token.id)
}

/** Log-uniform. */
export function drawPriceUsd(
  { firstPriceUsd: { min, max } }: WorldFixture['market'],
  stream: RandomStream,
): number {
  return min * Math.exp(stream.float() * Math.log(max / min))
}

/**
 * Model of the logarithm of a price: Brownian motion whose volatility and trend depend on a regime (Hamilton 1989), plus normally
 * distributed jumps from a Poisson process (Merton 1976). Exact for any step size: regime durations and jump intervals are
 * exponential, so waiting can restart at any moment. The logarithm has no drift, so after any time half of all prices are higher.
 * A price without drift (a martingale) would approach zero in nearly every long world.
 */
export type Regimes = WorldFixture['market']['regimes']
export type RegimeName = keyof Regimes
/** `volatilityPerDay` and `jumpDeviation` are standard deviations of the logarithm. */
export type Moves = WorldFixture['market']['own']

type Motion = {
  log: number
  regime: RegimeName
  /** Direction of the trend; drawn when a regime begins. */
  direction: 1 | -1
  atMs: number
}

export const DAY_MS = 86_400_000
const HOURS_PER_DAY = 24
const NAMES: readonly RegimeName[] = ['quiet', 'trending', 'turbulent']

/** Draws the first regime by its long-run share of time, which is proportional to its mean duration. */
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

/** Advances to `untilMs`, one event at a time: the earlier of the next jump and the next regime change. */
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

function changeRegime(motion: Motion, stream: RandomStream): void {
  const place = NAMES.indexOf(motion.regime) + stream.int(1, NAMES.length - 1)
  motion.regime = NAMES[place % NAMES.length] ?? 'quiet'
  motion.direction = drawDirection(stream)
}

function drawDirection(stream: RandomStream): 1 | -1 {
  return stream.float() < 0.5 ? 1 : -1
}

/** token1 per token0 in base units, approximate. */
export function roughPrice({ amm }: ChainPool): number {
  const sqrtPrice = Number(amm.sqrtPriceX96) / 2 ** 96
  return sqrtPrice * sqrtPrice
}

/** token1 per whole token0, approximate. */
export function wholePrice({ tokens }: ChainState, pool: ChainPool): number {
  const decimals = (tokens.get(pool.token0)?.decimals ?? 0) - (tokens.get(pool.token1)?.decimals ?? 0)
  return roughPrice(pool) * 10 ** decimals
}

export function otherToken({ token0, token1 }: ChainPool, token: string): string {
  return token === token0 ? token1 : token0
}
