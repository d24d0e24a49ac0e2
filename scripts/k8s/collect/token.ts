import { createHash, timingSafeEqual } from 'node:crypto'

/** The header that has the token: an API server takes `Authorization` for itself, and hands on the others. */
export const TOKEN_HEADER = 'x-breakwater-token'

/** What a token looks like: it goes into a header as it is, and is too long to be guessed. */
export const TOKEN = /^[A-Za-z0-9._~-]{16,200}$/

/** Whether the token is the right one; takes as long for a wrong one, whatever is wrong with it. */
export function isToken(given: string | string[] | undefined, token: string): boolean {
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
