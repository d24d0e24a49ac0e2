import { compareFields } from './identifiers.ts'
import { Refusal, type RefusalCode } from './refusal.ts'
import type { ChainPool, ChainState } from './state.ts'

/** The lower field is a pool's token0. */
export function orderTokens(tokenA: string, tokenB: string): [string, string] {
  return compareFields(tokenA, tokenB) < 0 ? [tokenA, tokenB] : [tokenB, tokenA]
}

/** The name of a pair, whichever way round its tokens are named: both ids, the lower first, with a slash between. */
export function pairOf(tokenA: string, tokenB: string): string {
  return orderTokens(tokenA, tokenB).join('/')
}

/** The pair that a key names in any order; undefined where it does not name two different fields. */
export function pairFromKey(key: string): string | undefined {
  const [tokenA, tokenB, ...rest] = key.split('/')
  if (!isField(tokenA) || !isField(tokenB) || rest.length > 0 || tokenA === tokenB) return undefined
  return pairOf(tokenA, tokenB)
}

function isField(text: string | undefined): text is string {
  return text !== undefined && /^[1-9]\d*field$/.test(text)
}

/** What of the state decides whether a pool trades: the indexer keeps the same and answers the same. */
type TradingRules = Pick<ChainState, 'pausedPairs' | 'allowlist'> & {
  configuration: Pick<ChainState['configuration'], 'paused' | 'allowlistEnabled'>
}

/** Why nobody trades in the pool, and nobody adds liquidity; undefined where they may. Withdrawals are always free. */
export function tradingBar(
  rules: TradingRules,
  pool: Pick<ChainPool, 'token0' | 'token1' | 'enabled'>,
): RefusalCode | undefined {
  if (rules.configuration.paused) return 'trading-paused'
  if (!pool.enabled) return 'pool-disabled'
  if (rules.pausedPairs.size > 0 && rules.pausedPairs.has(pairOf(pool.token0, pool.token1)))
    return 'pair-paused'
  return isListed(rules, pool.token0, pool.token1) ? undefined : 'pair-unlisted'
}

/** Whether the allowlist lets the pair trade: both tokens are listed, or the pair is, or no list is in force. */
export function isListed(rules: TradingRules, tokenA: string, tokenB: string): boolean {
  const { tokens, pairs } = rules.allowlist
  if (!rules.configuration.allowlistEnabled) return true
  return (tokens.has(tokenA) && tokens.has(tokenB)) || pairs.has(pairOf(tokenA, tokenB))
}

/** Throws a Refusal with the bar's code where the pool may not trade. */
export function requireTradable(state: ChainState, pool: ChainPool): void {
  const bar = tradingBar(state, pool)
  if (bar) throw new Refusal(bar)
}
