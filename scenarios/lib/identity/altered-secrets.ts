/** A secret that was never issued: a real one with a changed part. */
export type AlteredSecret = {
  how: string
  secret: string
  /** A known attack, which a firewall may block with any status. */
  isAttack?: true
}

/**
 * Alters a real secret in one place at a time: its first, middle and last character, one in each half, the
 * middle of each dot-separated part (such as a JWT signature); drops a half; swaps upper and lower case; or
 * takes the end of `another` of the same kind. Each result decodes to different bytes than both inputs: the last character of base64url has
 * unused bits (RFC 4648, section 3.5).
 */
export function alteredSecrets(secret: string, another?: string): AlteredSecret[] {
  const parts = secret.split('.')
  const altered = [
    ...parts.flatMap((_, index) => alterMiddle(parts, index)),
    { how: 'the end of another', secret: replaceEnd(secret, another) },
    ...unsigned(parts),
    ...byHalves(secret),
    ...inOtherCase(secret),
    { how: 'another first character', secret: withOther(secret, 0) },
    { how: 'another last character', secret: withOther(secret, secret.length - 1) },
  ]
  const seen = new Set<string | undefined>([secret, another])
  return altered.filter((one) => !seen.has(one.secret) && seen.add(one.secret))
}

function alterMiddle(parts: readonly string[], index: number): AlteredSecret[] {
  const start = parts.slice(0, index).reduce((length, part) => length + part.length + 1, 0)
  const length = parts[index]?.length ?? 0
  if (length === 0) return []
  const how = parts.length === 1 ? 'another middle character' : `another character in part ${index + 1}`
  return [{ how, secret: withOther(parts.join('.'), start + Math.floor(length / 2)) }]
}

/** Keeps the part before the last dot, or the first half, and takes the rest from `another`. */
function replaceEnd(secret: string, another: string | undefined): string {
  if (another?.length !== secret.length) return secret
  const dot = secret.lastIndexOf('.')
  const start = dot === -1 ? Math.floor(secret.length / 2) : dot
  return secret.slice(0, start) + another.slice(start)
}

/** Detects checks that compare only one half. */
function byHalves(secret: string): AlteredSecret[] {
  const [quarter, half] = [Math.floor(secret.length / 4), Math.floor(secret.length / 2)]
  if (quarter === 0) return []
  return [
    { how: 'another character in its first half', secret: withOther(secret, quarter) },
    { how: 'another character in its last half', secret: withOther(secret, half + quarter) },
    { how: 'its first half alone', secret: secret.slice(0, half) },
    { how: 'its last half alone', secret: secret.slice(half) },
  ]
}

/** Shorter parts may be prefixes, and hexadecimal ones may ignore case. */
const CASED_LENGTH_MIN = 16

/** Detects a lookup that ignores case, as some databases do. */
function inOtherCase(secret: string): AlteredSecret[] {
  const parts = secret.split(/[^0-9A-Za-z]/).filter(({ length }) => length >= CASED_LENGTH_MIN)
  if (!parts.some((part) => /[G-Z]/.test(part) && /[g-z]/.test(part))) return []
  const swapped = secret.replace(/[A-Za-z]/g, (letter) =>
    letter < 'a' ? letter.toLowerCase() : letter.toUpperCase(),
  )
  return [{ how: 'upper and lower case swapped', secret: swapped }]
}

/** `{"alg":"none","typ":"JWT"}` (RFC 7519, section 6). */
const UNSIGNED_HEADER = 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0'

/** Accepted by a gateway that trusts a JWT's claim to be unsigned. */
function unsigned(parts: readonly string[]): AlteredSecret[] {
  if (parts.length !== 3 || !parts[0]?.startsWith('eyJ')) return []
  return [
    { how: 'no signature', secret: `${parts[0]}.${parts[1]}.`, isAttack: true },
    { how: 'a header that says it is not signed', secret: `${UNSIGNED_HEADER}.${parts[1]}.`, isAttack: true },
  ]
}

/** Replaces the character at a position, or the nearest encodable one before or after it. */
function withOther(text: string, at: number): string {
  const alphabet = ALPHABETS.find(({ holds }) => holds.test(text))
  if (alphabet === undefined) return text
  const { letters, step } = alphabet
  let place = at
  while (place >= 0 && !letters.includes(text.charAt(place))) place--
  if (place < 0) place = text.split('').findIndex((letter) => letters.includes(letter))
  if (place < 0) return text
  const other = letters.charAt((letters.indexOf(text.charAt(place)) + step) % letters.length)
  return text.slice(0, place) + other + text.slice(place + 1)
}

/**
 * Steps by half an alphabet, which changes the character's highest bit, and that bit is always used. The
 * first matching alphabet applies: digits stay digits, and hexadecimal stays hexadecimal.
 */
const ALPHABETS = [
  { holds: /^[0-9]+$/, letters: '0123456789', step: 5 },
  { holds: /^[0-9a-f-]+$/, letters: '0123456789abcdef', step: 8 },
  { holds: /^[0-9A-F-]+$/, letters: '0123456789ABCDEF', step: 8 },
  {
    holds: /[0-9A-Za-z]/,
    letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    step: 32,
  },
]
