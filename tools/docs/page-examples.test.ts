import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { waiversSchema } from '../../contract/finding.ts'
import { parseJsonText } from '../../contract/json-file.ts'
import { profileSchema } from '../../contract/profile.ts'
import { projectPath } from '../../scripts/project.ts'
import { faultPlanSchema } from '../../simulator/faults/fault-plan.ts'

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
