import { expect, test } from 'vitest'
import { CannotProbe, told } from './cannot.ts'

test('hands on a choice that the profile tells', () => {
  expect(told('data.pool', 'where an event names its pool')).toBe('data.pool')
})

test('leaves no way to probe without it', () => {
  expect(() => told(null, 'where a ticket lies')).toThrow(
    new CannotProbe('the profile does not state where a ticket lies', 'choice'),
  )
})
