import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { makeFolder, makeScratchFolder } from './make-folder.ts'
import { projectPath } from './project.ts'

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
    message: `${link}: the folder cannot be made: something with that name already exists`,
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

test('what a killed process left is removed at the next start; what another uses stays', async () => {
  const temporary = temporaryFolder()
  const abandoned = keysOfKilled(temporary)
  expect(readdirSync(temporary)).toEqual([abandoned])
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const first = basename(await makeScratchFolder('run'))
  const second = basename(await makeScratchFolder('load'))
  expect(readdirSync(temporary).sort()).toEqual([first, second].sort())
})

test('a folder of another machine, and one that another process with the same id left', async () => {
  const temporary = temporaryFolder()
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const [, , place] = basename(await makeScratchFolder('run')).split('-')
  const elsewhere = 'breakwater-run-00000000-1-1-abcdef'
  const earlier = `breakwater-run-${place}-${process.pid}-1-abcdef`
  const files = ['breakwater-notes', `breakwater-run-${place}-note`]
  for (const name of [elsewhere, earlier]) mkdirSync(join(temporary, name))
  for (const name of files) writeFileSync(join(temporary, name), '')
  await makeScratchFolder('run')
  const names = readdirSync(temporary)
  expect(names).toEqual(expect.arrayContaining([elsewhere, ...files]))
  // Systems without /proc cannot tell the two processes apart.
  expect(names.includes(earlier)).toBe(process.platform !== 'linux')
})

/** Returns the name of the scratch folder of a process that was killed. */
function keysOfKilled(temporary: string): string {
  const code = `
    const { makeScratchFolder } = await import(${JSON.stringify(projectPath('scripts/make-folder.ts'))})
    const folder = await makeScratchFolder('run')
    const fs = await import('node:fs')
    fs.writeFileSync(folder + '/config.json', 'keys')
    process.stdout.write(folder, () => process.kill(process.pid, 'SIGKILL'))`
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './tools/typescript.mjs', '--input-type=module', '--eval', code],
    {
      env: { ...process.env, TMPDIR: temporary, TSX_DISABLE_CACHE: '1' },
      cwd: projectPath('.'),
      encoding: 'utf8',
    },
  )
  expect(stderr).toBe('')
  return basename(stdout)
}
