import { expect, test } from 'vitest'
import { shareWallet } from './shared-wallets.ts'

const wallets = (count: number) => Array.from({ length: count }, (_, index) => ({ address: `w${index}` }))

function share(
  count: number,
  use: { use: string; number: number; standsForOther?: true },
  given: Map<string, string> = new Map(),
): string {
  return shareWallet(wallets(count), { standsForOther: false, given, ...use }).address
}

test('one wallet serves every use of the same user', () => {
  expect([0, 3, 17].map((number) => share(1, { use: `use ${number}`, number }))).toEqual(['w0', 'w0', 'w0'])
})

test('a use that stands for another user never shares a wallet', () => {
  const others = [0, 1, 2, 3, 4].map((number) => share(3, { use: `use ${number}`, number }))
  expect(others).toEqual(['w0', 'w1', 'w0', 'w1', 'w0'])
  expect(share(3, { use: 'foreign', number: 7, standsForOther: true })).toBe('w2')
  expect(() => share(1, { use: 'foreign', number: 7, standsForOther: true })).toThrow(
    'needs 2 wallets with access, and the profile has 1',
  )
  expect(() => share(0, { use: 'sign in', number: 0 })).toThrow(
    'needs a wallet with access, and the profile has none',
  )
})

test('two uses of one probe get two wallets, the same use gets the same one', () => {
  const given = new Map<string, string>()
  expect(share(3, { use: 'mine', number: 0 }, given)).toBe('w0')
  expect(share(3, { use: 'also mine', number: 2 }, given)).toBe('w1')
  expect(share(3, { use: 'mine', number: 0 }, given)).toBe('w0')
  expect(() => share(3, { use: 'third', number: 4 }, given)).toThrow('needs 3 wallets with access')
})
