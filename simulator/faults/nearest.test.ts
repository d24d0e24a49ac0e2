import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

test.each([
  { text: 'http-reest', found: ['http-reset', 'http-429'] },
  { text: 'GET /pool', found: ['GET /pools', 'GET /swaps'] },
  { text: '', found: ['reorg', 'http-429'] },
])('$text: $found', ({ text, found }) => {
  const names = ['http-429', 'http-hang', 'http-reset', 'reorg', 'GET /swaps', 'GET /pools']
  expect(nearest(text, names, { count: 2 })).toEqual(found)
})
