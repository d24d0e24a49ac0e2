import { expect, test } from 'vitest'
import { CannotProbe, told } from './cannot.ts'

test('returns a choice of the profile', () => {
  expect(told('data.pool', 'where an event names its pool')).toBe('data.pool')
})

test('throws if it is null', () => {
  expect(() => told(null, 'where a ticket lies')).toThrow(
    new CannotProbe('the profile does not state where a ticket lies', 'choice'),
  )
})
