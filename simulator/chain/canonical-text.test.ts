import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byKind, flag, integer, list, optional, record, text, transactionText } from './canonical-text.ts'
import {
  type AnyByKind,
  anyAmount,
  anyConfigChange,
  anyFlag,
  anyInteger,
  anyText,
  anyToken,
  expectDistinguishesKinds,
  textOf,
} from './test-text.ts'
import type { Transaction } from './transaction.ts'

test('delimits each piece', () => {
  const encode = record<{
    name: string
    amounts: readonly bigint[]
    isPrivate: boolean
    image: string | null
  }>({
    name: text,
    amounts: list(integer),
    isPrivate: flag,
    image: optional(text),
  })
  const value = { image: null, isPrivate: true, amounts: [255n, -1n], name: 'one,two' }
  expect(textOf(encode, value)).toBe('7:one,two2;ff,-1,t~')
})

test('encodes texts of any length, in UTF-8', () => {
  const texts = ['', 'é', 'x'.repeat(9), 'x'.repeat(10), '€'.repeat(99), 'x'.repeat(100), '€'.repeat(200_000)]
  const joined = texts.map((value) => `${value.length}:${value}`).join('')
  expect(textOf(list(text), texts)).toBe(`7;${joined}`)
  expect(textOf(list(integer), Array(40_000).fill(-10n))).toBe(`40000;${'-a,'.repeat(40_000)}`)
})

test('a text split elsewhere is another list', () => {
  const cuts = fc.array(fc.nat(4), { maxLength: 2 })
  const encode = list(text)
  // Digits and delimiters: ambiguous without proper encoding.
  const strings = fc.string({ unit: fc.constantFrom('1', ':', ','), minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(strings, cuts, cuts, (whole, first, second) => {
      const [one, other] = [pieces(whole, first), pieces(whole, second)]
      expect(textOf(encode, one) === textOf(encode, other)).toBe(one.join('|') === other.join('|'))
    }),
  )
})

test('a missing value and an empty one differ', () => {
  const encode = list(optional(text))
  const texts = [[], [null], [''], ['~'], [null, null], ['', null]].map((value) => textOf(encode, value))
  expect(new Set(texts).size).toBe(texts.length)
})

test('refuses a kind that is not in the table', () => {
  const encode = byKind<{ kind: string }>({ known: {} } as never)
  expect(textOf(encode, { kind: 'known' })).toBe('known;')
  expect(() => textOf(encode, { kind: 'new' })).toThrow(TypeError)
})

function pieces(whole: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...[...cuts].sort((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.slice(places[index], end))
}

const anyGrant = fc.record({ tokenId: anyText, amount: anyAmount })
const ofPosition = { sender: anyText, position: anyText }
const withLiquidity = fc.record({ ...ofPosition, liquidity: anyAmount })

const ANY: AnyByKind<Transaction> = {
  registerToken: fc.record({ sender: anyText, token: anyToken }),
  mintToken: fc.record({
    sender: anyText,
    tokenId: anyText,
    shares: fc.array(fc.record({ recipient: anyText, amount: anyAmount }), { maxLength: 3 }),
  }),
  createPool: fc.record({
    sender: anyText,
    tokenA: anyText,
    tokenB: anyText,
    feePips: anyInteger,
    sqrtPriceX96: anyAmount,
  }),
  mintPosition: fc.record({
    sender: anyText,
    pool: anyText,
    tickLower: anyInteger,
    tickUpper: anyInteger,
    liquidity: anyAmount,
    isPrivate: anyFlag,
  }),
  increasePosition: withLiquidity,
  burnPosition: withLiquidity,
  collectPosition: fc.record({ ...ofPosition, amount0Max: anyAmount, amount1Max: anyAmount }),
  freezePosition: fc.record(ofPosition),
  unfreezePosition: fc.record(ofPosition),
  swap: fc.record({
    sender: anyText,
    recipient: anyText,
    tokenIn: anyText,
    pools: fc.array(anyText, { maxLength: 3 }),
    amountIn: anyAmount,
    amountOutMin: anyAmount,
    isPrivate: anyFlag,
  }),
  claim: fc.record(
    { sender: anyText, swapId: anyText, amount: anyAmount },
    { requiredKeys: ['sender', 'swapId'] },
  ),
  collectProtocol: fc.record({
    sender: anyText,
    pool: anyText,
    recipient: anyText,
    amount0Max: anyAmount,
    amount1Max: anyAmount,
  }),
  changeConfig: fc.record({ sender: anyText, change: anyConfigChange }),
  setFaucet: fc.record({ sender: anyText, grants: fc.tuple(anyGrant, anyGrant, anyGrant) }),
  claimFaucet: fc.record({ sender: anyText, recipient: anyText }),
}

test('two transactions of a kind have the same text only if they are equal, whichever field differs', () => {
  expectDistinguishesKinds(transactionText, ANY)
})

test('two kinds never have the same text', () => {
  const move = { sender: 'bw1alice', position: '1field' }
  expect(textOf(transactionText, { kind: 'freezePosition', ...move })).not.toBe(
    textOf(transactionText, { kind: 'unfreezePosition', ...move }),
  )
})
