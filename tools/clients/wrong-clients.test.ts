import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CLIENT_RULES } from '../../contract/client-rules.ts'
import { projectPath } from '../../scripts/project.ts'
import { WRONG_CLIENTS } from './wrong-clients.ts'

const page = readFileSync(projectPath('docs/guides/example-clients.md'), 'utf8')

test.each(Object.entries(WRONG_CLIENTS))(
  'docs/guides/example-clients.md describes %s',
  (name, { wrong, breaks }) => {
    const rules = breaks.map((rule) => `\`${rule}\``).join(', ')
    expect(page).toContain(`| \`${name}\` | ${wrong} | ${rules} |`)
  },
)

test('every rule that the observer judges has a client that breaks it', () => {
  const broken = new Set(Object.values(WRONG_CLIENTS).flatMap(({ breaks }) => breaks))
  expect([...broken].sort()).toEqual(CLIENT_RULES.map(({ id }) => id).sort())
})
