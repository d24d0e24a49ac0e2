import { pairOf } from './pair.ts'
import { Refusal, type RefusalCode } from './refusal.ts'
import type { ChainPool, ChainState } from './state.ts'

/** What of the state decides whether a pool trades: the indexer keeps the same and answers the same. */
export type TradingRules = Pick<ChainState, 'pausedPairs' | 'allowlist'> & {
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
