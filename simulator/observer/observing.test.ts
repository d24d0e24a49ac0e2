import { expect, test } from 'vitest'
import { createPoolSpellings } from './observing.ts'

function of(keys: string[]) {
  let reads = 0
  const spellings = createPoolSpellings({
    keys({ offset, limit }) {
      reads++
      return keys.slice(offset, offset + limit)
    },
  })
  return { ...spellings, reads: () => reads }
}

test.each([
  ['case', 'KEY/é+1', 'key/é+1'],
  ['encoding', 'Key%2F%C3%A9%2B1', 'Key/é+1'],
  ['encoding twice', 'Key%252F%25C3%25A9%252B1', 'Key/é+1'],
  ['Unicode form', 'Key/e\u0301+1', 'Key/é+1'],
  ['white space, which a plus decodes to', ' Key/é 1', 'Key/é+1'],
])('recognizes another spelling by %s', (_what, text, key) => {
  expect(of([key]).otherSpelling(text)).toBe(key)
})

test('recognizes neither the key itself nor an unrelated text', () => {
  const { otherSpelling } = of(['key'])
  expect([otherSpelling('key'), otherSpelling('keys'), otherSpelling('')]).toEqual([null, null, null])
})

test('reads pools as they are added, and from the start after the world moved back', () => {
  const keys = ['a']
  const { otherSpelling, forget, reads } = of(keys)
  expect(otherSpelling('B')).toBeNull()
  keys.push('b')
  expect(otherSpelling('B')).toBe('b')
  expect(reads()).toBe(2)
  keys.length = 1
  forget()
  expect(otherSpelling('B')).toBeNull()
})

test('reads more pools than fit a page', () => {
  const keys = Array.from({ length: 2500 }, (_, place) => `key${place}`)
  expect(of(keys).otherSpelling('KEY2499')).toBe('key2499')
})
