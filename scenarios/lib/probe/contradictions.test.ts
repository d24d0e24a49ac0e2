import { expect, test } from 'vitest'
import { findContradictions, findOtherSwap } from './contradictions.ts'

const SWAP = { input_token: 'a', output_token: 'b' }
const OUTPUT = { token_in: 'a', token_out: 'b' }

function listFound(endpoint: string, data: unknown) {
  return findContradictions(endpoint, { data }).map(({ rule, problem }) => `${rule}: ${problem}`)
}

test.each([
  { row: { ...SWAP, input_token_info: { id: 'a' }, output_token_info: { id: 'b' } }, found: [] },
  { row: { ...SWAP, output_token_info: { id: 'c' } }, found: [] },
  { row: { ...SWAP, output_token: 'a', output_token_info: { id: 'a' } }, found: [] },
  {
    row: { ...SWAP, output_token_info: { id: 'a' } },
    found: ['wire.token-info.record: output_token_info is that of input_token'],
  },
])('the swap $row has the contradictions $found', ({ row, found }) => {
  expect(listFound('GET /swaps', [row])).toEqual(found)
})

test('a pending swap and a position have contradictions', () => {
  const data = {
    pending_swaps: [{ output: OUTPUT, token_in_info: { id: 'b' }, token_out_info: { id: 'b' } }],
    positions_with_owed: [
      { tick_lower: -5, tick_upper: 5 },
      { tick_lower: 5, tick_upper: 5 },
      { tick_lower: 5, tick_upper: -5 },
    ],
  }
  expect(listFound('GET /unclaimed', data)).toEqual([
    'wire.token-info.record: token_in_info is that of output.token_out',
    'wire.unclaimed.record: tick_lower 5 is above tick_upper -5',
  ])
  expect(listFound('GET /pools', data)).toEqual([])
})

const ONE_HOP = [{ pool: 'p' }]
const TWO_HOPS = [{ pool: 'p' }, { pool: 'q' }]

test.each([
  { pending: {}, swap: {}, found: undefined },
  { pending: { is_multi_hop: false }, swap: { hops: ONE_HOP }, found: undefined },
  { pending: { is_multi_hop: true }, swap: { hops: TWO_HOPS }, found: undefined },
  { pending: { is_multi_hop: true }, swap: { hops: [] }, found: undefined },
  { pending: { is_multi_hop: true }, swap: { hops: ONE_HOP }, found: undefined },
  {
    pending: { is_multi_hop: false },
    swap: { hops: TWO_HOPS },
    found: 'is_multi_hop is false for a swap with 2 pools in /swaps',
  },
  { pending: { is_multi_hop: false }, swap: { swap_id: 'other', hops: TWO_HOPS }, found: undefined },
  {
    pending: {},
    swap: { input_token: 'b', output_token: 'a' },
    found: 'token_in and token_out of a pending swap are exchanged in /swaps',
  },
  { pending: {}, swap: { input_token: 'b', output_token: 'c' }, found: undefined },
])('$pending and $swap: $found', ({ pending, swap, found }) => {
  const one = { swap_id: 's', output: OUTPUT, ...pending }
  const row = { swap_id: 's', ...SWAP, ...swap }
  expect(findOtherSwap([one], [row])).toBe(found)
  expect(findOtherSwap([one], [row, row])).toBeUndefined()
})
