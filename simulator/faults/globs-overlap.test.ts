import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from '../../contract/match-glob.ts'
import { globsOverlap } from './globs-overlap.ts'

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['a*', 'abc', true],
  ['a*', '*c', true],
  ['a*x*c', 'ab*y*', true],
  ['a*', 'b*', false],
  ['*a', '*b', false],
  ['ab*', 'a*', true],
  ['*', 'abc', true],
  ['ab*ba', 'aba', false],
])('%s and %s: %s', (one, other, expected) => {
  expect([globsOverlap(one, other), globsOverlap(other, one)]).toEqual([expected, expected])
})

const letters = (extra: string) =>
  fc.array(fc.constantFrom('a', 'b', ...extra), { maxLength: 6 }).map((list) => list.join(''))

test('overlap exactly where some text matches both', () => {
  const texts = allTexts(7)
  fc.assert(
    fc.property(letters('*'), letters('*'), (one, other) => {
      const shared = texts.some((text) => matchesGlob(one, text) && matchesGlob(other, text))
      // What two globs of six letters share is no longer than both without their stars.
      if (`${one}${other}`.replaceAll('*', '').length <= 7) expect(globsOverlap(one, other)).toBe(shared)
    }),
    { seed: 1, numRuns: 300 },
  )
})

function allTexts(lengthMax: number): string[] {
  const texts = ['']
  for (let first = 0; (texts[first] ?? '').length < lengthMax; first++) {
    texts.push(`${texts[first]}a`, `${texts[first]}b`)
  }
  return texts
}
