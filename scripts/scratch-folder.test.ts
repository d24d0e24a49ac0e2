import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { projectPath } from './project-path.ts'
import { makeScratchFolder } from './scratch-folder.ts'

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
    const { makeScratchFolder } = await import(${JSON.stringify(projectPath('scripts/scratch-folder.ts'))})
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
