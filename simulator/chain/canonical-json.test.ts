import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

test('orders keys, drops undefined ones, writes bigints as digits', () => {
  const value = { b: 2n ** 70n, a: [true, null, 'q"', { d: 1, c: undefined }] }
  expect(canonicalJson(value)).toBe('{"a":[true,null,"q\\"",{"d":1}],"b":"1180591620717411303424"}')
})

test.each([0.5, Number.NaN, 2 ** 53, undefined, () => 1])('refuses %s, which has no exact text', (value) => {
  expect(() => canonicalJson({ value: [value] })).toThrow(TypeError)
})
