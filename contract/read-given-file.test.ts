import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { GIVEN_MIB_MAX, readGivenFile, readRegularFile } from './read-given-file.ts'

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'breakwater-given-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'file')
}

const READERS = [
  { name: 'a file of the user', read: readGivenFile },
  { name: 'a file that a file names', read: async (file: string) => readRegularFile(file) },
]

test.each(READERS)('$name is read up to its bound', async ({ read }) => {
  const file = newFile()
  writeFileSync(file, 'é')
  expect(await read(file)).toBe('é')
  truncateSync(file, GIVEN_MIB_MAX * 1024 * 1024)
  expect(await read(file)).toHaveLength(GIVEN_MIB_MAX * 1024 * 1024 - 1)
  truncateSync(file, GIVEN_MIB_MAX * 1024 * 1024 + 1)
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
  await expect(readGivenFile(file)).rejects.toThrow('it is larger than 16 MiB')
  expect(() => readRegularFile(file)).toThrow('it is a pipe or a device, not a file')
})

test('a pipe is read if the user named it, and else not even opened', async () => {
  const file = newFile()
  execFileSync('mkfifo', [file])
  expect(() => readRegularFile(file)).toThrow('it is a pipe or a device, not a file')
  const [text] = await Promise.all([readGivenFile(file), writeFile(file, 'through a pipe')])
  expect(text).toBe('through a pipe')
})
