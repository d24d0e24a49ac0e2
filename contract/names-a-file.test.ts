import { expect, test } from 'vitest'
import { namesAFile } from './names-a-file.ts'

test.each([
  ['mine.json', true],
  ['a/mine.jsonc', true],
  ['market', false],
  ['json', false],
  ['mine.json5', false],
])('%s: a file of the user’s own: %s', (name, isFile) => {
  expect(namesAFile(name)).toBe(isFile)
})
