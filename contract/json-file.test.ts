import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  namesAFile,
  parseJsonText,
  readJsonFile,
  readRegularFile,
  readUserFile,
  USER_FILE_MIB_MAX,
} from './json-file.ts'

test('reads JSON as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJsonText(text)).toStrictEqual(JSON.parse(text))
    }),
  )
})

/** White space and comments between the parts of a file, which do not change its meaning. */
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

test('a text that looks like a comment is kept', () => {
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
    says: 'line 1, column 2: unexpected text; expected a value, or a name in double quotes',
  },
  { text: '{"a": [1', says: 'line 1, column 9: a closing bracket is missing' },
  { text: '{"a": 1', says: 'line 1, column 8: a closing brace is missing' },
  { text: '{"a": "x\n"}', says: 'line 1, column 7: unterminated text' },
  { text: '["\\q"]', says: 'line 1, column 2: an unknown escape after \\' },
  { text: '/* x', says: 'line 1, column 1: unterminated comment' },
  { text: '{} x', says: 'line 1, column 4: unexpected text; expected a value, or a name in double quotes' },
  { text: '{} {}', says: 'line 1, column 4: expected the end of the file' },
  { text: '', says: 'line 1, column 1: a value is missing' },
  { text: '['.repeat(200_000), says: 'lists or objects are nested too deeply' },
])('gives the position of the first mistake: $says', ({ text, says }) => {
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

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-given-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'file')
}

const READERS = [
  { name: 'a file of the user', read: readUserFile },
  { name: 'a file that a file names', read: async (file: string) => readRegularFile(file) },
]

test.each(READERS)('$name is read up to its bound', async ({ read }) => {
  const file = newFile()
  writeFileSync(file, 'é')
  expect(await read(file)).toBe('é')
  truncateSync(file, USER_FILE_MIB_MAX * 1024 * 1024)
  expect(await read(file)).toHaveLength(USER_FILE_MIB_MAX * 1024 * 1024 - 1)
  truncateSync(file, USER_FILE_MIB_MAX * 1024 * 1024 + 1)
  await expect(read(file)).rejects.toThrow('it is larger than 16 MiB')
})

test.each(READERS)('$name that is a folder, or is not there, fails as ever', async ({ read }) => {
  const file = newFile()
  await expect(read(file)).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(read(join(file, '..'))).rejects.toMatchObject({ code: 'EISDIR' })
})

test('a link to a device ends at the bound, or at once', async () => {
  const file = newFile()
  symlinkSync('/dev/zero', file)
  await expect(readUserFile(file)).rejects.toThrow('it is larger than 16 MiB')
  expect(() => readRegularFile(file)).toThrow('it is a pipe or a device, not a file')
})

test('a pipe is read if the user named it, and else not even opened', async () => {
  const file = newFile()
  execFileSync('mkfifo', [file])
  expect(() => readRegularFile(file)).toThrow('it is a pipe or a device, not a file')
  const [text] = await Promise.all([readUserFile(file), writeFile(file, 'through a pipe')])
  expect(text).toBe('through a pipe')
})

test.each([
  ['mine.json', true],
  ['a/mine.jsonc', true],
  ['market', false],
  ['json', false],
  ['mine.json5', false],
])('%s: a file of the user’s own: %s', (name, isFile) => {
  expect(namesAFile(name)).toBe(isFile)
})

test('suggests the .jsonc file that init writes', async () => {
  const file = `${newFile()}.json`
  const read = () =>
    readJsonFile({ file, shown: 'profile.json', schema: z.unknown(), what: 'target profile' })
  await expect(read()).rejects.toMatchObject({ hint: 'Expected a target profile there.' })
  writeFileSync(`${file}c`, '{}')
  await expect(read()).rejects.toMatchObject({ hint: 'Did you mean profile.jsonc?' })
})
