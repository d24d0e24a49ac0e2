import { vuRandom } from '../duties/k6-tools.ts'

/** A name that no other token has: a server may reject a second token of the same name. */
export function createTokenName(): string {
  return `breakwater ${Date.now().toString(36)}${Math.floor(vuRandom() * 36 ** 4).toString(36)}`
}
