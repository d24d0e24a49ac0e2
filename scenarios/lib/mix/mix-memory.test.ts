import { expect, test } from 'vitest'
import { createRandom } from '../random.ts'
import { createMemory } from './mix-memory.ts'

const row = (key: string, more = {}) => ({
  key,
  token0: `${key}-in`,
  token1: `${key}-out`,
  token0Symbol: key.toUpperCase(),
  token0Decimals: 3,
  ...more,
})

test('keeps the pools of pages, and what a client asks of them', () => {
  const memory = createMemory()
  expect(memory.knows()).toBe(false)
  memory.learn({ data: [row('a'), row('a'), { key: 5 }, null, 'nonsense'] })
  expect(memory.knows()).toBe(true)
  expect(memory.pick({ skew: 1, random: createRandom(1) })).toEqual({
    key: 'a',
    symbol: 'A',
    tokenIn: 'a-in',
    tokenOut: 'a-out',
    amountIn: '1000',
  })
})

test.each([undefined, null, 'text', { data: {} }, { data: [{}] }])('learns nothing of %j', (body) => {
  const memory = createMemory()
  memory.learn(body)
  expect(memory.knows()).toBe(false)
  expect(memory.pick({ skew: 1, random: createRandom(1) })).toBeUndefined()
  expect(memory.pickSome(3, { skew: 1, random: createRandom(1) })).toEqual([])
})

test('decimals that make no sense make an amount of one', () => {
  const memory = createMemory()
  memory.learn({ data: [row('a', { token0Decimals: 1e9 })] })
  expect(memory.pick({ skew: 0, random: createRandom(1) })?.amountIn).toBe('1')
})

test('picks different pools, all of them where no more are there', () => {
  const memory = createMemory()
  memory.learn({ data: ['a', 'b', 'c', 'd'].map((key) => row(key)) })
  const options = { skew: 3, random: createRandom(1) }
  expect(new Set(memory.pickSome(3, options).map(({ key }) => key)).size).toBe(3)
  expect(memory.pickSome(9, options)).toHaveLength(4)
})

test('a list is read on by the rows received, and from the start again after its end', () => {
  const memory = createMemory()
  memory.advance('pools', { data: [row('a'), row('b')] })
  expect([memory.offset('pools'), memory.offset('explore')]).toEqual([2, 0])
  memory.advance('pools', { data: [] })
  expect(memory.offset('pools')).toBe(0)
})
