import { expect, test } from 'vitest'
import { bech32m } from './bech32.ts'

test('gives the valid strings of BIP-350', () => {
  expect(bech32m('a', new Uint8Array())).toBe('a1lqfn3a')
  expect(bech32m('?', new Uint8Array())).toBe('?1v759aa')
})

test('gives 58 characters after the prefix for 32 bytes', () => {
  expect(bech32m('bw', new Uint8Array(32).fill(255))).toMatch(/^bw1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$/)
})
