import { expect, test } from 'vitest'
import { poolsOfSwap } from './swap-pools.ts'

test.each([
  { swap: { pool: 'a', hops: [{ pool: 'a' }, { pool: 'b' }] }, pools: ['a', 'b'], why: 'in order' },
  { swap: { pool: 'a', hops: [] }, pools: ['a'], why: 'without hops' },
  { swap: { pool: 'a' }, pools: ['a'], why: 'without a list of them' },
  { swap: { hops: [{ pool: null }, 'b', { pool: 'c' }] }, pools: ['c'], why: 'as far as they can be read' },
  { swap: null, pools: [], why: 'of nothing' },
])('the pools of a route: $why', ({ swap, pools }) => {
  expect(poolsOfSwap(swap)).toEqual(pools)
})
