import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { projectPath } from './project.ts'

/** The command alone, as it lies where neither packages nor compiled code are. */
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

test('in a checkout without its packages it says how they are installed', () => {
  const { folder, start } = bareInstallation()
  mkdirSync(join(folder, '.git'))
  expect(start()).toEqual({
    status: 3,
    stderr: 'breakwater: missing package: esbuild\n  Install the locked dependencies: npm ci\n',
  })
})

test('in an installation that was never compiled it says how it is', () => {
  const { folder, start } = bareInstallation()
  expect(start()).toEqual({
    status: 3,
    stderr: `breakwater: not compiled: ${join(folder, 'dist/breakwater.js')} is missing\n  Compile it: npm run build\n`,
  })
})

test('what runs from sources leaves nothing in the temporary folder, from where somebody else could have it run', () => {
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
