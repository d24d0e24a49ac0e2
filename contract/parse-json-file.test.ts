import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJsonText } from './parse-json-file.ts'

test('reads JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJsonText(text)).toStrictEqual(JSON.parse(text))
    }),
  )
})

/** What people write between the parts of a file; none of it changes what the file says. */
const between = fc.constantFrom('', ' ', '\n', ' // "a": {\n', '/* } , */', '/* a\n b */ ')

test('comments, a trailing comma and a byte order mark change nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), between, between, (first, second, here, there) => {
      const [a, b] = [JSON.stringify(first), JSON.stringify(second)]
      const text = `\uFEFF${here}{${there}"a":${here}${a}${there},"b":[${here}${b},${there}]${here},${there}}${here}`
      expect(parseJsonText(text)).toStrictEqual(JSON.parse(`{"a":${a},"b":[${b}]}`))
    }),
  )
})

test('what looks like a comment in a text is none', () => {
  expect(parseJsonText('{"url": "http://a/*b*/", }')).toEqual({ url: 'http://a/*b*/' })
})

test('a key __proto__ is but a key, with comments and without', () => {
  for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1}} // y']) {
    const value = parseJsonText(text) as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect('x' in value).toBe(false)
  }
})

test.each([
  { text: '{\n  "a": 1\n  "b": 2\n}', says: 'line 3, column 3: a comma is missing' },
  { text: '{"a" 1}', says: 'line 1, column 6: a colon is missing' },
  { text: '{"a": // 1\n}', says: 'line 2, column 1: a value is missing' },
  { text: '{"a": 1,,}', says: 'line 1, column 9: expected a name in double quotes' },
  {
    text: "{'a': 1}",
    says: 'line 1, column 2: not understood; expected a value, or a name in double quotes',
  },
  { text: '{"a": [1', says: 'line 1, column 9: a closing bracket is missing' },
  { text: '{"a": 1', says: 'line 1, column 8: a closing brace is missing' },
  { text: '{"a": "x\n"}', says: 'line 1, column 7: a text that does not end on its line' },
  { text: '["\\q"]', says: 'line 1, column 2: an unknown escape after \\' },
  { text: '/* x', says: 'line 1, column 1: a comment that does not end' },
  { text: '{} x', says: 'line 1, column 4: not understood; expected a value, or a name in double quotes' },
  { text: '{} {}', says: 'line 1, column 4: expected the end of the file' },
  { text: '', says: 'line 1, column 1: a value is missing' },
  { text: '['.repeat(200_000), says: 'lists or objects too deep in one another' },
])('says where the first mistake is: $says', ({ text, says }) => {
  expect(() => parseJsonText(text)).toThrow(new SyntaxError(says))
})

test('whatever is no JSON is refused with its place, and no other error', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\u0 \n1e-truefals') }), (text) => {
      try {
        parseJsonText(text)
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError)
        expect((error as Error).message).toMatch(/^line \d+, column \d+: [a-z]/)
      }
    }),
  )
})
