import fc from 'fast-check'
import { expect, test } from 'vitest'
import { farthestPairs, isApart, isOneWayApart, notCanonical, ofEachDistance, unlistedId } from './routes.ts'

const chain = [
  { token0: 'a', token1: 'b' },
  { token0: 'b', token1: 'c' },
]

test('sorts unconnected pairs first, then the farthest', () => {
  expect(
    farthestPairs(['a', 'b', 'c', 'alone'], chain).map(({ tokenIn, tokenOut, distance }) => [
      `${tokenIn}>${tokenOut}`,
      distance,
    ]),
  ).toEqual([
    ['a>alone', Number.POSITIVE_INFINITY],
    ['b>alone', Number.POSITIVE_INFINITY],
    ['c>alone', Number.POSITIVE_INFINITY],
    ['alone>a', Number.POSITIVE_INFINITY],
    ['alone>b', Number.POSITIVE_INFINITY],
    ['alone>c', Number.POSITIVE_INFINITY],
    ['a>c', 2],
    ['c>a', 2],
    ['a>b', 1],
    ['b>a', 1],
    ['b>c', 1],
    ['c>b', 1],
  ])
})

test.each([
  { listed: ['12field', '34field'], made: '14field' },
  { listed: ['0xa1', '0xb2', '0xa2'], made: '0xb1' },
  { listed: ['a', 'bb', 'ccc'], made: undefined },
  { listed: ['a', 'b'], made: undefined },
  { listed: [], made: undefined },
])('makes $made from $listed', ({ listed, made }) => {
  expect(unlistedId(listed)).toBe(made)
})

test('the result is unlisted, and each character occurs at that position in a listed id of its length', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[0-9a-f]{1,4}$/), { maxLength: 8 }), (listed) => {
      const made = unlistedId(listed)
      if (made === undefined) return
      expect(listed).not.toContain(made)
      for (const [at, character] of [...made].entries()) {
        expect(listed.some((id) => id.length === made.length && id[at] === character)).toBe(true)
      }
    }),
  )
})

test('alternates between distances', () => {
  const pairs = farthestPairs(['a', 'b', 'c'], chain)
  expect(ofEachDistance(pairs).map(({ distance }) => distance)).toEqual([2, 1, 2, 1, 1, 1])
})

test('spells an amount in every way that is not canonical', () => {
  expect(notCanonical('1000000')).toEqual([
    '+1000000',
    '-1000000',
    '1000000e0',
    '1000000E0',
    '1e6',
    '5E3',
    '01000000',
    '1000000.0',
    '1000000.',
    '1000000,0',
    ' 1000000',
    '1000000 ',
    '\t1000000',
    '1000000\n',
    '\u00a01000000',
    '1,000,000',
    '1_000_000',
    '1 000 000',
    "1'000'000",
    '1.000.000',
    '0xf4240',
    '١٠٠٠٠٠٠',
    '１００００００',
  ])
})

test('never returns the amount itself, nor a duplicate', () => {
  const spellings = notCanonical('5')
  expect(spellings).not.toContain('5')
  expect(new Set(spellings).size).toBe(spellings.length)
})

const pool = ([token0 = '', token1 = '']: string) => [token0, token1] as const

test.each([
  { why: 'in order', pools: ['ab', 'bc', 'cd'], apart: false },
  { why: 'in the opposite order', pools: ['dc', 'cb', 'ba'], apart: false },
  { why: 'each with both tokens', pools: ['ad', 'da'], apart: false },
  { why: 'on two paths', pools: ['ad', 'ab', 'bd'], apart: false },
  { why: 'that end elsewhere', pools: ['ab', 'bc', 'ce'], apart: true },
  { why: 'of another pair', pools: ['ef'], apart: true },
  { why: 'that are not joined', pools: ['ab', 'cd'], apart: true },
])('from a to d through pools $why', ({ pools, apart }) => {
  expect(isApart(pools.map(pool), { tokenIn: 'a', tokenOut: 'd' })).toBe(apart)
})

test('pools that are not listed prove nothing', () => {
  expect(isApart(undefined, { tokenIn: 'a', tokenOut: 'd' })).toBe(false)
})

test.each([
  { why: 'in order', hops: ['ab', 'bc', 'cd'], apart: false },
  { why: 'in another order', hops: ['cd', 'ab', 'bc'], apart: false },
  { why: 'on two paths', hops: ['ad', 'ab', 'bd'], apart: false },
  { why: 'of which one is turned', hops: ['ab', 'cb', 'cd'], apart: true },
  { why: 'that all are turned', hops: ['ba', 'cb', 'dc'], apart: true },
])('from a to d over hops $why, one way', ({ hops, apart }) => {
  expect(isOneWayApart(hops.map(pool), { tokenIn: 'a', tokenOut: 'd' })).toBe(apart)
})
