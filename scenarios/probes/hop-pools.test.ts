import { expect, test, vi } from 'vitest'
import { isApart } from './hop-pools.ts'

vi.mock('../lib/requests/request.ts', () => ({}))
vi.mock('../lib/time/pause.ts', () => ({ pause: async () => undefined }))

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
