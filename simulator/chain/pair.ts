import { compareFields } from './identifiers.ts'
import { Refusal, type RefusalCode } from './refusal.ts'
import type { ChainPool, ChainState } from './state.ts'

/** The lower field is a pool's token0. */
export function orderTokens(tokenA: string, tokenB: string): [string, string] {
  return compareFields(tokenA, tokenB) < 0 ? [tokenA, tokenB] : [tokenB, tokenA]
}

/** Both ids, the lower first, with a slash between; the order of the arguments does not matter. */
export function pairKey(tokenA: string, tokenB: string): string {
  return orderTokens(tokenA, tokenB).join('/')
}

/** Parses a key in either order; undefined if it does not name two different fields. */
export function pairFromKey(key: string): string | undefined {
  const [tokenA, tokenB, ...rest] = key.split('/')
  if (!isField(tokenA) || !isField(tokenB) || rest.length > 0 || tokenA === tokenB) return undefined
  return pairKey(tokenA, tokenB)
}

export function isField(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d*field$/.test(text)
}

/** State that decides whether a pool trades; the indexer keeps a copy of it. */
type TradingRules = Pick<ChainState, 'pausedPairs' | 'allowlist'> & {
  configuration: Pick<ChainState['configuration'], 'paused' | 'allowlistEnabled'>
}

/** Returns why the pool takes no swaps and no new liquidity; undefined if it does. Withdrawals are always allowed. */
export function tradingBar(
  rules: TradingRules,
  pool: Pick<ChainPool, 'token0' | 'token1' | 'enabled'>,
): RefusalCode | undefined {
  if (rules.configuration.paused) return 'trading-paused'
  if (!pool.enabled) return 'pool-disabled'
  if (rules.pausedPairs.size > 0 && rules.pausedPairs.has(pairKey(pool.token0, pool.token1)))
    return 'pair-paused'
  return isListed(rules, pool.token0, pool.token1) ? undefined : 'pair-unlisted'
}

/** True if both tokens are listed, the pair is listed, or the allowlist is not enabled. */
export function isListed(rules: TradingRules, tokenA: string, tokenB: string): boolean {
  const { tokens, pairs } = rules.allowlist
  if (!rules.configuration.allowlistEnabled) return true
  return (tokens.has(tokenA) && tokens.has(tokenB)) || pairs.has(pairKey(tokenA, tokenB))
}

export function requireTradable(state: ChainState, pool: ChainPool): void {
  const bar = tradingBar(state, pool)
  if (bar) throw new Refusal(bar)
}
