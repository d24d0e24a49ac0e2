import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MIX_REQUESTS, mixSchema } from '../../contract/mix.ts'
import { MIX_CYCLES } from '../../contract/mix-cycles.ts'
import { mixNames } from '../../scripts/given-files.ts'
import { projectPath } from '../../scripts/project.ts'

const page = readFileSync(projectPath('docs/reference/mixes.md'), 'utf8')

test.each(Object.entries(MIX_REQUESTS))(
  'the page of mixes describes the requests of %s',
  (name, { access, does }) => {
    expect(page).toContain(`| \`${name}\` | ${access} | ${does} |`)
  },
)

test.each(Object.entries(MIX_CYCLES))('the page of mixes describes the steps of %s', (name, { does }) => {
  expect(page).toContain(`| \`${name}\` | ${does} |`)
})

test.each(mixNames())('the page of mixes describes %s', (name) => {
  expect(page).toContain(`| \`${name}\` | `)
})

test('the example of the page is a mix', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  expect(mixSchema.safeParse(JSON.parse(example)).error).toBeUndefined()
})
