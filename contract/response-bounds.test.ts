import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nestsDeeper } from './response-bounds.ts'

test.each([
  ['[[[]]]', false],
  ['[[[[]]]]', true],
  ['{"a":{"b":{"c":[]}}}', true],
  ['[[],[],[],[]]', false],
  ['["[[[[[", "\\"[[[[", "\\\\", [[]]]', false],
  ['["\\\\", [[[]]]]', true],
  ['["]]]]", [[[]]]]', true],
  ['', false],
])('%s', (text, deeper) => {
  expect(nestsDeeper(text, 3)).toBe(deeper)
})

test('of JSON it says how deep it is', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(6), (value, levels) => {
      expect(nestsDeeper(JSON.stringify(value), levels)).toBe(depthOf(value) > levels)
    }),
  )
})

test('five million levels are no more than a long text', () => {
  expect(nestsDeeper('['.repeat(5_000_000), 128)).toBe(true)
  expect(nestsDeeper(`"${'['.repeat(5_000_000)}"`, 128)).toBe(false)
})
