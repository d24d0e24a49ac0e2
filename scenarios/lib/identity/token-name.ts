import { vuRandom } from '../duties/k6-tools.ts'

/** A name that no other token has: a server may reject a second token of the same name. */
export function createTokenName(): string {
  return `breakwater ${Date.now().toString(36)}${Math.floor(vuRandom() * 36 ** 4).toString(36)}`
}

/** The prefix of the token, or of its part after `ss_`. A mask such as `...` may follow, and the end of the token. */
export function isTokenPrefix(token: string, prefix: string): boolean {
  const shown = /^[A-Za-z0-9_-]*/.exec(prefix)?.[0] ?? ''
  return token.startsWith(shown) || token.includes(`_${shown}`)
}
