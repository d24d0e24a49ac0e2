import { expect, test } from 'vitest'
import { addressFrom, bech32m, compareFields, fieldFrom, transactionIdFrom } from './identifiers.ts'

test('a field has 60 to 76 digits, for any input', () => {
  for (let index = 0; index < 2000; index++) {
    expect(fieldFrom(`field ${index}`)).toMatch(/^[1-9][0-9]{59,75}field$/)
  }
})

test('addresses and transaction ids have their prefixes and 58 characters', () => {
  expect(addressFrom('a')).toMatch(/^bw1[02-9ac-hj-np-z]{58}$/)
  expect(transactionIdFrom(Buffer.from('a'))).toMatch(/^at1[02-9ac-hj-np-z]{58}$/)
  expect(addressFrom('a')).not.toBe(addressFrom('b'))
})

test('fields are ordered as numbers', () => {
  const fields = ['10field', '9field', '11field', '9field']
  expect(fields.sort(compareFields)).toEqual(['9field', '9field', '10field', '11field'])
})

/** Valid strings of BIP-350, in lower case, with a whole number of bytes, and those bytes in hexadecimal. */
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

test.each(VALID)('%s and the bytes %s encode to %s, as in BIP-350', (prefix, bytes, text) => {
  expect(bech32m(prefix, Buffer.from(bytes, 'hex'))).toBe(text)
})

test('gives 58 characters after the prefix for 32 bytes', () => {
  expect(bech32m('bw', new Uint8Array(32).fill(255))).toMatch(/^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$/)
})
