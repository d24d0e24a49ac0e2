import { expect, test } from 'vitest'
import { CannotProbe, requireChoice } from './cannot.ts'

test('returns a choice of the profile', () => {
  expect(requireChoice('data.pool', 'the path of the pool in events')).toBe('data.pool')
})

test('throws if it is null', () => {
  expect(() => requireChoice(null, 'the path of a ticket')).toThrow(
    new CannotProbe('the profile does not state the path of a ticket', 'choice'),
  )
})
