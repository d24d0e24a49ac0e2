import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { getObjectiveKind, sloSchema } from '../../contract/slo.ts'
import { loadSlo, namesIn } from '../../scripts/given-files.ts'
import { projectPath } from '../../scripts/project.ts'

const page = readFileSync(projectPath('docs/reference/objectives.md'), 'utf8')
const [, example = '{}'] = /```json\n([\s\S]*?)```/.exec(page) ?? []
const { objectives } = sloSchema.parse(JSON.parse(example))
const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (`[^|]+`) \| /gm)].map(([, kind, fields = '']) => ({
  kind,
  fields: fields.split(', ').map((field) => field.replaceAll('`', '')),
}))

test('the page of objectives has a row for each kind, with its fields, and an example', () => {
  const shown = objectives.map((objective) => {
    const { windowSeconds: _, ...fields } = objective
    return { kind: getObjectiveKind(objective), fields: Object.keys(fields) }
  })
  expect(rows).toHaveLength(7)
  expect(shown).toEqual(expect.arrayContaining(rows))
})

test.each(namesIn('fixtures/slos'))(
  'the page of objectives describes %s, which is a valid file',
  async (name) => {
    expect(page).toContain(`| \`${name}\` | `)
    expect(await loadSlo(name, '.')).toMatchObject({ name })
  },
)
