import { expect, test } from 'vitest'
import { createStrangers } from './entrance.ts'

const bounds = { strangersPerAddressMax: 2, strangersMax: 3 }

test('limits connections per address and in total', () => {
  const { admit } = createStrangers(bounds)
  const crowds = ['a', 'a', 'a', 'b', 'b', 'c'].map((address) => admit(address).crowd)
  expect(crowds).toEqual([null, null, 'address', null, 'all', 'all'])
})

test('leaving frees one place, once', () => {
  const { admit } = createStrangers(bounds)
  const first = admit('a')
  admit('a')
  first.leave()
  first.leave()
  expect([admit('a').crowd, admit('a').crowd]).toEqual([null, 'address'])
})

test('a rejected connection leaves no place taken', () => {
  const { admit } = createStrangers(bounds)
  admit('a')
  admit('a')
  admit('a').leave()
  expect(admit('a').crowd).toBe('address')
})
