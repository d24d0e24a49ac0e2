import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { makeFolder } from './make-folder.ts'

const HINT = { hint: 'Name another.' }

test('makes a folder with all those above it, and takes one that is there', async () => {
  const dir = join(temporaryFolder(), 'a', 'b', 'c')
  await makeFolder(dir, HINT)
  await makeFolder(dir, HINT)
  expect(statSync(dir).isDirectory()).toBe(true)
})

test('two at once both end well', async () => {
  const dir = join(temporaryFolder(), 'a', 'b')
  await Promise.all([makeFolder(dir, HINT), makeFolder(dir, HINT)])
  expect(statSync(dir).isDirectory()).toBe(true)
})

test.each(['', 'inside', 'far/inside'])(
  'a file in the way is a usage error that names it: FILE/%s',
  async (rest) => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    await expect(makeFolder(join(file, rest), HINT)).rejects.toMatchObject({
      message: `${file}: is a file, not a folder`,
      hint: 'Name another.',
      exitCode: 2,
    })
  },
)

test('a link to nowhere in the way is an error of the environment', async () => {
  const link = join(temporaryFolder(), 'link')
  symlinkSync('nowhere', link)
  await expect(makeFolder(link, HINT)).rejects.toMatchObject({
    message: `${link}: the folder cannot be made: something of that name is there already`,
    exitCode: 3,
  })
})

test('a name that is too long is an error of the environment', async () => {
  await expect(makeFolder(join(temporaryFolder(), 'long'.repeat(100)), HINT)).rejects.toMatchObject({
    message: expect.stringContaining(': the folder cannot be made: its name is too long'),
    exitCode: 3,
  })
})

test.runIf(process.platform === 'linux')('where no folder can be made, ends with an error', async () => {
  await expect(makeFolder('/proc/nope/run', HINT)).rejects.toMatchObject({
    message: '/proc/nope: the folder cannot be made: its file system takes none',
    exitCode: 3,
  })
})
