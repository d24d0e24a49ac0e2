import { expect, test } from 'vitest'
import { findOtherDecimals, listInfos } from './token-decimals.ts'

/** A row of two tokens, each with its decimals: "a6 b8". */
const row = (text: string, displayFlipped: boolean | null = false) => {
  const [one = '', other = ''] = text.split(' ')
  const [token0, token1] = [one.charAt(0), other.charAt(0)]
  const decimals = { token0Decimals: Number(one.slice(1)), token1Decimals: Number(other.slice(1)) }
  return { token0, token1, ...decimals, ...(displayFlipped !== null && { displayFlipped }) }
}

test.each([
  {
    why: 'of another number',
    info: { id: 'a', decimals: 18 },
    rows: [row('a6 b8'), row('c9 a6')],
    found: true,
  },
  { why: 'of the other token', info: { id: 'b', decimals: 6 }, rows: [row('a6 b8')], found: true },
  { why: 'of its rows', info: { id: 'a', decimals: 6 }, rows: [row('a6 b8')], found: false },
  { why: 'of a token in no row', info: { id: 'd', decimals: 6 }, rows: [row('a6 b8')], found: false },
  { why: 'as text', info: { id: 'a', decimals: '18' }, rows: [row('a6 b8')], found: false },
  {
    why: 'of rows that differ',
    info: { id: 'a', decimals: 18 },
    rows: [row('a6 b8'), row('a7 b8')],
    found: false,
  },
  { why: 'of a flipped row', info: { id: 'a', decimals: 18 }, rows: [row('a6 b8', true)], found: false },
  {
    why: 'of a row that may be flipped',
    info: { id: 'a', decimals: 18 },
    rows: [row('a6 b8', null)],
    found: false,
  },
])('decimals $why: $found', ({ info, rows, found }) => {
  const problem = 'a token info has other decimals than the explore rows of its token'
  expect(findOtherDecimals([null, info], rows)).toBe(found ? problem : undefined)
})

test('finds token infos at any depth', () => {
  const body = { data: [{ input_token_info: { id: 'a' } }, { output: { token_out_info: null }, info: 7 }] }
  expect(listInfos(body)).toEqual([{ id: 'a' }, null])
})
