import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digitsPattern, parseEmptyOnce, textSchema } from './input.ts'

test('accepts the integers from 1 to the maximum, and no others', () => {
  const anyBound = fc.oneof(fc.bigInt(1n, 1200n), fc.bigInt(1n, 2n ** 130n))
  fc.assert(
    fc.property(anyBound, fc.bigInt(-2n, 2n), fc.bigInt(0n, 2n ** 131n), (max, offset, other) => {
      const pattern = new RegExp(digitsPattern(max))
      for (const value of [max + offset, other, other % (max + 1n), max / 10n, 0n])
        expect(pattern.test(String(value)), String(value)).toBe(value >= 1n && value <= max)
    }),
  )
})

test.each(['', '01', '+1', '-1', '1.0', '1e2', ' 1', '1 ', '1\n', '١', '1_0'])('refuses %j', (text) => {
  expect(new RegExp(digitsPattern(2n ** 128n - 1n)).test(text)).toBe(false)
})

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

function compiled(httpPart: string) {
  const parsed: unknown[] = []
  const compile = parseEmptyOnce(() => (value: unknown) => {
    parsed.push(value)
    return { value }
  })
  return { parsed, validate: compile({ schema: {}, method: 'GET', url: '/', httpPart }) }
}

test('an empty query is parsed once, any other each time', () => {
  const { parsed, validate } = compiled('querystring')
  expect(validate({})).toBe(validate({}))
  validate({ limit: '1' })
  validate({ limit: '1' })
  expect(parsed).toEqual([{}, { limit: '1' }, { limit: '1' }])
})

test('an empty body is parsed each time', () => {
  const { parsed, validate } = compiled('body')
  validate({})
  validate({})
  expect(parsed).toHaveLength(2)
})
