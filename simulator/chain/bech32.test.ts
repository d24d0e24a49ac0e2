import { expect, test } from 'vitest'
import { bech32m } from './bech32.ts'

/** The valid strings of BIP-350, in lower case, that whole bytes make, and those bytes in hexadecimal. */
const VALID = [
  ['a', '', 'a1lqfn3a'],
  ['?', '', '?1v759aa'],
  [
    'an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber1',
    '',
    'an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg6',
  ],
  ['abcdef', 'ffbbcdeb38bdab49ca307b9ac5a928398a418820', 'abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx'],
] as const

test.each(VALID)('of %s and the bytes %s makes %s, as BIP-350 does', (prefix, bytes, text) => {
  expect(bech32m(prefix, Buffer.from(bytes, 'hex'))).toBe(text)
})

test('gives 58 characters after the prefix for 32 bytes', () => {
  expect(bech32m('bw', new Uint8Array(32).fill(255))).toMatch(/^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$/)
})
