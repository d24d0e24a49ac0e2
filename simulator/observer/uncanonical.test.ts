import { expect, test } from 'vitest'
import { uncanonicalNumbers } from './uncanonical.ts'

const ofQuery = (text: string) =>
  uncanonicalNumbers({ url: `/route?amount_in=${encodeURIComponent(text)}`, body: undefined })

test.each(['1,000', '1.5', '+5', '-1', '1e21', ' 7', '7 ', '007', '00', '1_000', '٣', '0x10', '1.2345e+21'])(
  'names %j',
  (text) => {
    expect(ofQuery(text)).toEqual([`amount_in=${text}`])
  },
)

test.each(['0', '7', '340282366920938463463374607431768211456', '', 'many', 'NaN'])(
  'passes over %j, which is canonical, or no number',
  (text) => {
    expect(ofQuery(text)).toEqual([])
  },
)

test('looks at numbers alone, wherever they stand', () => {
  const url = '/explore/pools?search=1,000&limit=+5&offset=0&minimum_revision=01'
  expect(uncanonicalNumbers({ url, body: undefined })).toEqual(['limit= 5', 'minimum_revision=01'])
})

test('knows an amount of a body, and one that is no string', () => {
  expect(uncanonicalNumbers({ url: '/tokens/mint', body: { amount: '1e3' } })).toEqual(['amount=1e3'])
  expect(uncanonicalNumbers({ url: '/tokens/mint', body: { amount: 1000 } })).toEqual([
    'amount as a JSON number',
  ])
  expect(uncanonicalNumbers({ url: '/tokens/mint', body: { amount: '1000' } })).toEqual([])
})

test('shows no more than the beginning of a long one', () => {
  expect(ofQuery(`0${'1'.repeat(5000)}`)[0]).toHaveLength(70)
})
