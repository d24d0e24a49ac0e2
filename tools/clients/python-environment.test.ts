import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/temporary-folder.ts'
import { pythonEnvironment } from './python-environment.ts'

test.each([
  ['is missing', undefined, 'Python 3.11 or later is missing: no-python was not found'],
  ['is too old', 'echo 3.9.2 /usr', 'Python 3.11 or later is missing: no-python is 3.9.2'],
  [
    'cannot make a venv',
    'case $2 in venv) echo no ensurepip; exit 1;; *) echo 3.12.1 /usr;; esac',
    'cannot install the Python packages: no-python -m venv exited with 1.\nno ensurepip',
  ],
])('reports what to do if Python %s', async (_, script, message) => {
  const folder = temporaryFolder()
  const python = join(folder, 'no-python')
  const requirements = join(folder, 'requirements.txt')
  writeFileSync(requirements, '')
  if (script !== undefined) writeFileSync(python, `#!/bin/sh\n${script}\n`)
  if (script !== undefined) chmodSync(python, 0o755)
  const env = { ...process.env, BREAKWATER_PYTHON: python, XDG_CACHE_HOME: folder }
  await expect(
    pythonEnvironment({ env, requirements, imports: ['httpx'], onProgress() {} }),
  ).rejects.toMatchObject({
    message: message.replace('no-python', python),
    hint: expect.stringContaining('BREAKWATER_PYTHON'),
    exitCode: 3,
  })
})
