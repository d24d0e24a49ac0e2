import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectPath } from './project-path.ts'
import { temporaryFolder } from './test/temporary-folder.ts'

test('in a checkout without its packages it says how they are installed', () => {
  const folder = temporaryFolder()
  for (const file of ['breakwater.mjs', 'typescript.mjs'])
    copyFileSync(projectPath(`scripts/${file}`), join(folder, file))
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'breakwater.mjs'), 'smoke'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 3,
    stdout: '',
    stderr: 'breakwater: a package is not installed: tsx\n  Install what the lock file names: npm ci\n',
  })
})
