import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waiversSchema } from '../../contract/finding.ts'
import { parseJsonText } from '../../contract/json-file.ts'
import { profileSchema } from '../../contract/profile.ts'
import { projectPath } from '../../scripts/project.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'
import { runCommandLine } from '../test/run-command-line.ts'
import { temporaryFolder } from '../test/temporary-folder.ts'

test.each([
  ['docs/guides/test-a-deployment.md', 0, profileSchema],
  ['docs/guides/test-a-deployment.md', 1, waiversSchema],
  ['docs/guides/behind-a-proxy.md', 0, profileSchema],
  ['docs/guides/gate-a-release.md', 0, profileSchema],
  ['docs/contributing/add-a-fault.md', 0, faultPlanSchema],
])('%s: its JSON %i is valid', (path, index, schema) => {
  const page = readFileSync(projectPath(path), 'utf8')
  const [, json = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)][index] ?? []
  expect(schema.safeParse(parseJsonText(json)).error).toBeUndefined()
})

const customScenarios = readFileSync(projectPath('docs/guides/custom-scenarios.md'), 'utf8')

test('tsc checks a custom scenario with the tsconfig.json of its page', {
  timeout: 120_000,
}, async () => {
  const cwd = temporaryFolder()
  await runCommandLine(['init', 'scenario', 'mine'], { cwd })
  const [, config = ''] = /^```json\n(\{\n {2}"extends"[\s\S]*?)^```/m.exec(customScenarios) ?? []
  writeFileSync(join(cwd, 'tsconfig.json'), config)
  const check = () =>
    execFileSync('./breakwater/node_modules/.bin/tsc', ['-p', '.'], { cwd, encoding: 'utf8', stdio: 'pipe' })
  expect(check()).toBe('')
  writeFileSync(join(cwd, 'wrong.k6.ts'), 'export const wrong: number = "text"\n')
  expect(check).toThrow(/tsc/)
})
