import { expect, test } from 'vitest'
import { textSchema } from './text.ts'

test.each([
  ['', false],
  ['a', false],
  ['ab', true],
  ['⚓⚓', true],
  ['🧵', false],
  ['🧵🧵', true],
  ['🧵🧵🧵🧵', true],
  ['🧵🧵🧵🧵🧵', false],
  ['abcd', true],
  ['abcde', false],
])('of 2 to 4 characters is %j: %j', (text, expected) => {
  expect(textSchema({ min: 2, max: 4 }).safeParse(text).success).toBe(expected)
})
