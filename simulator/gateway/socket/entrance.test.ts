import { expect, test } from 'vitest'
import { createStrangers } from './entrance.ts'

const bounds = { strangersPerAddressMax: 2, strangersMax: 3 }

test('an address has so many places, and all together have so many', () => {
  const { admit } = createStrangers(bounds)
  const crowds = ['a', 'a', 'a', 'b', 'b', 'c'].map((address) => admit(address).crowd)
  expect(crowds).toEqual([null, null, 'address', null, 'all', 'all'])
})

test('who leaves makes room for another, once', () => {
  const { admit } = createStrangers(bounds)
  const first = admit('a')
  admit('a')
  first.leave()
  first.leave()
  expect([admit('a').crowd, admit('a').crowd]).toEqual([null, 'address'])
})

test('who was refused leaves no place behind', () => {
  const { admit } = createStrangers(bounds)
  admit('a')
  admit('a')
  admit('a').leave()
  expect(admit('a').crowd).toBe('address')
})
