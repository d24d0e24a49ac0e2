import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectPath } from '../../scripts/project.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

const page = readFileSync(projectPath('docs/guides/custom-scenarios.md'), 'utf8')

test('tsc checks a custom scenario with the tsconfig.json of its page', {
  timeout: 120_000,
}, async () => {
  const cwd = temporaryFolder()
  await runCommandLine(['init', 'scenario', 'mine'], { cwd })
  const [, config = ''] = /^```json\n(\{\n {2}"extends"[\s\S]*?)^```/m.exec(page) ?? []
  writeFileSync(join(cwd, 'tsconfig.json'), config)
  const check = () =>
    execFileSync('./breakwater/node_modules/.bin/tsc', ['-p', '.'], { cwd, encoding: 'utf8', stdio: 'pipe' })
  expect(check()).toBe('')
  writeFileSync(join(cwd, 'wrong.k6.ts'), 'export const wrong: number = "text"\n')
  expect(check).toThrow(/tsc/)
})
