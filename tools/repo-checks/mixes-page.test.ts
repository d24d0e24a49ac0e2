import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MIX_REQUESTS, mixSchema } from '../../contract/mix.ts'
import { mixNames } from '../../scripts/given-files.ts'
import { projectPath } from '../../scripts/project.ts'

const page = readFileSync(projectPath('docs/reference/mixes.md'), 'utf8')

test.each(Object.entries(MIX_REQUESTS))(
  'the page of mixes describes the requests of %s',
  (name, { access, does }) => {
    expect(page).toContain(`| \`${name}\` | ${access} | ${does} |`)
  },
)

test.each(mixNames())('the page of mixes describes %s', (name) => {
  expect(page).toContain(`| \`${name}\` | `)
})

test('the example of the page is a mix', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  expect(mixSchema.safeParse(JSON.parse(example)).error).toBeUndefined()
})
