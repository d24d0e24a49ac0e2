import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { makeFolder, makeScratchFolder, requireScratch, tryToWrite } from './make-folder.ts'
import { projectPath } from './project.ts'

const HINT = { hint: 'Name another.' }

test('creates a folder with its parents, and accepts an existing one', async () => {
  const dir = join(temporaryFolder(), 'a', 'b', 'c')
  await makeFolder(dir, HINT)
  await makeFolder(dir, HINT)
  expect(statSync(dir).isDirectory()).toBe(true)
})

test('concurrent calls both succeed', async () => {
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

test('a dangling link in the path is an environment error', async () => {
  const link = join(temporaryFolder(), 'link')
  symlinkSync('nowhere', link)
  await expect(makeFolder(link, HINT)).rejects.toMatchObject({
    message: `${link}: cannot create the folder: something with that name already exists`,
    exitCode: 3,
  })
})

test('a name that is too long is an environment error', async () => {
  await expect(makeFolder(join(temporaryFolder(), 'long'.repeat(100)), HINT)).rejects.toMatchObject({
    message: expect.stringContaining(': cannot create the folder: its name is too long'),
    exitCode: 3,
  })
})

test.runIf(process.platform === 'linux')('fails if the file system allows no folders', async () => {
  await expect(makeFolder('/proc/nope/run', HINT)).rejects.toMatchObject({
    message: '/proc/nope: cannot create the folder: its file system does not allow folders',
    exitCode: 3,
  })
})

test('a trial leaves nothing that an interrupt could keep: it is over when it returns', () => {
  const folder = temporaryFolder()
  tryToWrite(folder)
  expect(readdirSync(folder)).toEqual([])
  expect(() => tryToWrite(join(folder, 'missing'))).toThrow('ENOENT')
})

test('the next start removes leftovers of a killed process, and keeps folders in use', async () => {
  const temporary = temporaryFolder()
  const abandoned = listKeysOfKilled(temporary)
  expect(readdirSync(temporary)).toEqual([abandoned])
  vi.stubEnv('TMPDIR', temporary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const first = basename(await makeScratchFolder('run'))
  const second = basename(await makeScratchFolder('load'))
  expect(readdirSync(temporary).sort()).toEqual([first, second].sort())
})

test('keeps a folder of another machine, removes one of an earlier process with the same id', async () => {
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
  // Systems without /proc cannot distinguish the two processes.
  expect(names.includes(earlier)).toBe(process.platform !== 'linux')
})

test('a temporary folder that cannot be used is an environment error that names TMPDIR', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  vi.stubEnv('TMPDIR', file)
  onTestFinished(() => void vi.unstubAllEnvs())
  const error = {
    message: `temporary folder ${file} (TMPDIR): cannot be written: a part of its path is a file, not a folder`,
    hint: 'Set TMPDIR to a folder that you can write to, on a disk with room.',
    exitCode: 3,
  }
  await expect(makeScratchFolder('run')).rejects.toMatchObject(error)
  expect(requireScratch).toThrow(expect.objectContaining(error))
})

test.each(['hunt --duration 1s', 'stub --tls --port 0 --feed-port 0'])(
  'so is one on a full disk: %s',
  (line) => {
    const command = `ulimit -f 0; exec '${process.execPath}' '${projectPath('scripts/breakwater.mjs')}' ${line}`
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: temporaryFolder(), encoding: 'utf8' })
    expect(stderr).toMatch(
      /^breakwater: temporary folder \S+ \(TMPDIR\): cannot be written: it would be larger than the system allows\n {2}Set TMPDIR /,
    )
    expect(status).toBe(3)
  },
)

/** Returns the name of a killed process's scratch folder. */
function listKeysOfKilled(temporary: string): string {
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
