import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from './match-glob.ts'

test.each([
  ['ws.*', 'ws.rooms.at-most-32', true],
  ['ws.*', 'wss.rooms', false],
  ['ws.*', 'aws.rooms', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['GET /pools', 'GET /pools/:key', false],
  ['* /auth/*', 'POST /auth/refresh', true],
  ['a*a', 'a', false],
  ['a.c', 'abc', false],
  ['*b*b', 'ab', false],
])('%j matches %j: %j', (glob, text, matches) => {
  expect(matchesGlob(glob, text)).toBe(matches)
})

test('agrees with a regular expression', () => {
  const words = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 })
  fc.assert(
    fc.property(words('ab*'), words('ab'), (glob, text) => {
      expect(matchesGlob(glob, text)).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(text))
    }),
  )
})
