import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { projectPath } from './project.ts'

/** The command without packages and without compiled code. */
function bareInstallation(): { folder: string; start: () => { status: number | null; stderr: string } } {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'scripts'))
  for (const file of ['breakwater.mjs', 'build.mjs'])
    copyFileSync(projectPath(`scripts/${file}`), join(folder, 'scripts', file))
  const start = () => {
    const args = [join(folder, 'scripts/breakwater.mjs'), 'smoke']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, stderr }
  }
  return { folder, start }
}

test('without packages, explains how to install them', () => {
  const { folder, start } = bareInstallation()
  mkdirSync(join(folder, '.git'))
  expect(start()).toEqual({
    status: 3,
    stderr: 'breakwater: missing package: esbuild\n  Install the locked dependencies: npm ci\n',
  })
})

test('without compiled code, explains how to compile it', () => {
  const { folder, start } = bareInstallation()
  expect(start()).toEqual({
    status: 3,
    stderr: `breakwater: not compiled: ${join(folder, 'dist/breakwater.js')} is missing\n  Compile it: npm run build\n`,
  })
})

test('running from sources leaves nothing in the temporary folder, where others could plant code', () => {
  const tmp = temporaryFolder()
  const script = join(temporaryFolder(), 'one.mts')
  writeFileSync(script, "const one: string = 'ran'\nconsole.log(one)\n")
  const loader = pathToFileURL(projectPath('tools/typescript.mjs')).href
  const { stdout } = spawnSync(process.execPath, ['--import', loader, script], {
    env: { ...process.env, TMPDIR: tmp },
    encoding: 'utf8',
  })
  expect(stdout).toBe('ran\n')
  expect(readdirSync(tmp)).toEqual([])
})
