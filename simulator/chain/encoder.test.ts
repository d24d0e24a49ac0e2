import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byKind, flag, integer, list, optional, record, text } from './encoder.ts'

test('writes each piece with its end', () => {
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
  expect(encode(value)).toBe('7:one,two2;ff,-1,t~')
})

test('a text cut elsewhere is another list', () => {
  const cuts = fc.array(fc.nat(4), { maxLength: 2 })
  const encode = list(text)
  // Digits and the marks that end pieces: what could be taken for one.
  const strings = fc.string({ unit: fc.constantFrom('1', ':', ','), minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(strings, cuts, cuts, (whole, first, second) => {
      const [one, other] = [pieces(whole, first), pieces(whole, second)]
      expect(encode(one) === encode(other)).toBe(one.join('|') === other.join('|'))
    }),
    { seed: 1, numRuns: 1000 },
  )
})

test('nothing and something that is empty are two', () => {
  const encode = list(optional(text))
  const texts = [[], [null], [''], ['~'], [null, null], ['', null]].map(encode)
  expect(new Set(texts).size).toBe(texts.length)
})

test('refuses a kind that is not in the table', () => {
  const encode = byKind<{ kind: string }>({ known: {} } as never)
  expect(encode({ kind: 'known' })).toBe('known;')
  expect(() => encode({ kind: 'new' })).toThrow(TypeError)
})

function pieces(whole: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...[...cuts].sort((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.slice(places[index], end))
}
