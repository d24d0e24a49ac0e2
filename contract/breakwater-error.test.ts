import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fileFailure } from './breakwater-error.ts'

test.each([
  ['/nowhere/at-all', 'there is no such file or folder'],
  ['/', 'it is a folder, not a file'],
  [`${import.meta.filename}/inside`, 'a part of its path is a file, not a folder'],
  [`/${'long'.repeat(100)}`, 'its name is too long'],
])('reading %s fails because %s', async (file, reason) => {
  expect(fileFailure(await readFile(file).catch((error: unknown) => error))).toBe(reason)
})

test('a failure without a text is reported by its code or message', () => {
  expect(fileFailure(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))).toBe('EIO')
  expect(fileFailure(new Error('odd'))).toBe('odd')
})
