/**
 * What agents think tokens are worth: outside the chain, and moving. One common factor moves all prices, each by its
 * beta, and each moves by itself besides (the single-index model, Sharpe 1963): ln P = own + beta × common.
 *
 * A price moves when it is looked at, over all the time since it last was: its law is that of one moved in every block,
 * and a block costs what it looks at, however many tokens there are.
 */
import type { RandomStream } from '../random.ts'
import type { WorldFixture } from '../world-fixture.ts'
import { advanceMotion, type Motion, openMotion } from './price-process.ts'

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
