import { compareFields } from './identifiers.ts'

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
