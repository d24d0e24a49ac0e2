import { expect, test } from 'vitest'
import { revealsSecret } from './token-text.ts'

const REST = 'Zm9vYmFyYmF6cXV40123456789abcdef'

test.each([
  { why: 'the secret', text: `[{"token":"ss_${REST}"}]`, reveals: true },
  { why: 'the secret without its prefix', text: `[{"token":"${REST}"}]`, reveals: true },
  { why: 'what follows its first characters', text: `[{"suffix":"${REST.slice(4)}"}]`, reveals: true },
  { why: 'its last four characters', text: `[{"hint":"${REST.slice(-4)}"}]`, reveals: false },
  { why: 'its first characters', text: `[{"token_prefix":"ss_${REST.slice(0, 12)}"}]`, reveals: false },
  { why: 'its first half', text: `[{"token_prefix":"ss_${REST.slice(0, 16)}"}]`, reveals: false },
  { why: 'all except its last two characters', text: `"ss_${REST.slice(0, -2)}"`, reveals: true },
  { why: 'an id', text: '[{"id":"9b2f3c7e"}]', reveals: false },
])('a list with $why reveals it: $reveals', ({ text, reveals }) => {
  expect(revealsSecret(text, `ss_${REST}`)).toBe(reveals)
})

test('a short secret counts only as a whole', () => {
  expect(revealsSecret('"id":"a1"', 'ss_a1')).toBe(false)
  expect(revealsSecret('"token":"ss_a1"', 'ss_a1')).toBe(true)
})
