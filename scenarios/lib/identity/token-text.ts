/** Fewer characters may be in any text. */
const END_MIN = 12
/** Fewer hidden characters could be guessed. */
const HIDDEN_MIN = 8

/**
 * The text contains the secret, its second half, or all but a few of its characters. A list may show the first ones.
 */
export function revealsSecret(text: string, secret: string): boolean {
  const random = secret.slice(secret.indexOf('_') + 1)
  const start = random.slice(0, -HIDDEN_MIN + 1)
  return (
    text.includes(secret.slice(-Math.max(END_MIN, Math.ceil(secret.length / 2)))) ||
    (start.length > END_MIN && text.includes(start))
  )
}

/** The prefix of the token, or of its part after `ss_`. A mask such as `...` may follow, and the end of the token. */
export function isTokenPrefix(token: string, prefix: string): boolean {
  const shown = /^[A-Za-z0-9_-]*/.exec(prefix)?.[0] ?? ''
  return token.startsWith(shown) || token.includes(`_${shown}`)
}
