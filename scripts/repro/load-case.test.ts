import { expect, test } from 'vitest'
import { editsBetween, nearestNames } from './load-case.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['storm', 'strom', 2],
])('%j to %j takes %i edits', (a, b, edits) => {
  expect(editsBetween(a, b)).toBe(edits)
  expect(editsBetween(b, a)).toBe(edits)
})

test('lists the nearest names first, and those that contain the word before all', () => {
  const names = ['mute-socket', 'reconnect-storm', 'reconnect-1012-deploy', 'faucet-double-claim']
  expect(nearestNames('reconect-strom', names)[0]).toBe('reconnect-storm')
  expect(nearestNames('storm', names)[0]).toBe('reconnect-storm')
  expect(nearestNames('faucet', names)).toHaveLength(3)
})
