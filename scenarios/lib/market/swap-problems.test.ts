import { expect, test } from 'vitest'
import { findHopProblem, findOtherSwap } from './swap-problems.ts'

const SIDES = { input_token: 'a', output_token: 'b' }
const OUTPUT = { token_in: 'a', token_out: 'b' }
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
  { pending: { is_private: true }, swap: {}, found: undefined },
  { pending: { is_private: true }, swap: { is_private: true }, found: undefined },
  {
    pending: { is_private: true },
    swap: { is_private: false },
    found: 'is_private of a pending swap is true, and false in /swaps',
  },
])('$pending and $swap: $found', ({ pending, swap, found }) => {
  const one = { swap_id: 's', output: OUTPUT, ...pending }
  const row = { swap_id: 's', ...SIDES, ...swap }
  expect(findOtherSwap([one], [row])).toBe(found)
  expect(findOtherSwap([one], [row, row])).toBeUndefined()
})

test.each([
  { output: 'w1', swap: { recipient: 'w2', is_private: false }, found: true },
  { output: 'W1', swap: { recipient: 'w1', is_private: false }, found: false },
  { output: '0xw1', swap: { recipient: 'w1', is_private: false }, found: false },
  { output: 'w1', swap: { recipient: 'w2', is_private: true }, found: false },
  { output: 'w1', swap: { is_private: false }, found: false },
])('the recipient $output contradicts $swap: $found', ({ output, swap, found }) => {
  const pending = { swap_id: 's', output: { ...OUTPUT, recipient: output } }
  const problem = 'the recipient of a pending swap is another one in /swaps'
  expect(findOtherSwap([pending], [{ swap_id: 's', ...SIDES, ...swap }])).toBe(found ? problem : undefined)
})

test.each([
  { remaining: '11', out: '10', found: true },
  { remaining: '9', out: '10', found: false },
  { remaining: '10', out: '10', found: false },
  { remaining: '100000000000000000001', out: '100000000000000000000', found: true },
  { remaining: '11', out: 10, found: false },
  { remaining: '1.5', out: '1', found: false },
])('$remaining of $out remains: a problem is $found', ({ remaining, out, found }) => {
  const output = { ...OUTPUT, amount_remaining: remaining, amount_out: out }
  const problem = 'amount_remaining of a pending swap is above its amount_out'
  expect(findOtherSwap([{ swap_id: 's', output }], [])).toBe(found ? problem : undefined)
})

const POOLS = new Map(['ab', 'bc', 'cd', 'ad'].map((key) => [key, [key[0] ?? '', key[1] ?? ''] as const]))

/** A public swap: its tokens, then its pools with a plus sign for true, as in "ac ab+ bc+". */
function swap(text: string, more: object = {}) {
  const [tokens = '', ...hops] = text.split(' ')
  return {
    ...{ input_token: tokens[0], output_token: tokens[1], is_private: false },
    hops: hops.map((hop) => ({ pool: hop.slice(0, 2), zero_for_one: hop.endsWith('+') })),
    ...more,
  }
}

const listed = (texts: readonly string[]) => texts.map((text) => swap(text))
const APART = 'the pools of a swap do not connect its tokens'
const OPPOSITE = 'zero_for_one of two swaps through one pool contradicts their input tokens'
const INVERTED = 'zero_for_one is inverted in every hop, in both directions'
const RIGHT = ['ab ab+', 'ba ab-', 'cd cd+', 'ac ab+ bc+', 'ca bc- ab-', 'ac bc+ ab+', 'ad ab+ bc+ cd+']

test.each([
  { why: 'all are right', swaps: RIGHT, found: undefined },
  { why: 'hops are cut', swaps: [...RIGHT, 'ac ab+'], found: APART },
  { why: 'too few others connect', swaps: ['ac ab+', 'ab ab+', 'bc bc+'], found: undefined },
  { why: 'a pool is not known', swaps: [...RIGHT, 'ac xy+'], found: undefined },
  { why: 'no pool has its token', swaps: [...RIGHT, 'ax ab+'], found: undefined },
  { why: 'two have opposite directions', swaps: ['ab ab+', 'ab ab-'], found: OPPOSITE },
  { why: 'both directions are true', swaps: ['ab ab+', 'ba ab+'], found: OPPOSITE },
  { why: 'a later hop is turned', swaps: ['ac ab+ bc-', 'bc bc+'], found: OPPOSITE },
  { why: 'the path is not clear', swaps: ['ad ab+ ad- bc+', 'ab ab-'], found: undefined },
  {
    why: 'all are inverted',
    swaps: ['ab ab-', 'bc bc-', 'cd cd-', 'ba ab+', 'cb bc+', 'dc cd+'],
    found: INVERTED,
  },
  { why: 'all in one direction are inverted', swaps: ['ab ab-', 'bc bc-', 'cd cd-'], found: undefined },
  {
    why: 'all in one pool are inverted',
    swaps: ['ab ab-', 'ab ab-', 'ab ab-', 'ba ab+', 'ba ab+', 'ba ab+'],
    found: undefined,
  },
])('finds $found if $why', ({ swaps, found }) => {
  expect(findHopProblem(listed(swaps), POOLS)?.problem).toBe(found)
})

test('names the swaps and the pools of a problem, and leaves out private swaps', () => {
  const swaps = [...listed(['ab ab+', 'bc bc+']), swap('ab ab-', { is_private: true }), swap('cb bc+')]
  expect(findHopProblem(swaps, POOLS)).toEqual({
    problem: OPPOSITE,
    pools: ['bc'],
    swaps: listed(['bc bc+', 'cb bc+']),
  })
})
