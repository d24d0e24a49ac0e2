import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { stagesJsonSchema, stagesSchema } from '../contract/stages.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { loadStages, stageNames } from './given-files.ts'
import { projectPath } from './project.ts'

const isProfile = new Ajv.default({ strict: false }).compile(stagesJsonSchema())
const page = readFileSync(projectPath('docs/guides/find-the-capacity.md'), 'utf8')

test.each(stageNames())(
  'the profile %s loads, is documented, and has a schema that editors find',
  async (name) => {
    const profile = await loadStages(name, '/')
    expect(profile.name).toBe(name)
    const written = JSON.parse(readFileSync(projectPath(`fixtures/stages/${name}.json`), 'utf8'))
    expect(written.$schema).toBe('../../docs/reference/schemas/stages.schema.json')
    expect([isProfile(written), isProfile.errors]).toEqual([true, null])
    expect(page).toContain(`| \`${name}\` | `)
  },
)

test('the example in the docs is a valid profile', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  expect(stagesSchema.safeParse(JSON.parse(example)).error).toBeUndefined()
})

test('rejects a profile with every problem, its path and what was expected', async () => {
  const cwd = temporaryFolder()
  const profile = { description: 'x', ratefrom: 3, stages: [{ seconds: 1, rate: 0 }, {}] }
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify(profile))
  const error = await loadStages('mine.json', cwd).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ exitCode: 2 })
  expect(String(error).split('\n')).toEqual([
    'BreakwaterError: mine.json: not a valid stages file:',
    '  name: missing; expected a string',
    '  stages[0].seconds: expected at least 2',
    '  stages[0].rate: expected at least 0.01',
    '  stages[1].seconds: missing; expected a number',
    '  stages[1].rate: missing; expected a number',
    '  ratefrom: unknown key; expected name, description, rateFrom or stages',
  ])
})

test('an unknown name lists the few that exist', async () => {
  await expect(loadStages('no-such', '/')).rejects.toMatchObject({
    message: 'unknown stages file "no-such"',
    hint: 'Expected ramp, soak or spike. All are in fixtures/stages. The name of your own file must end in .json or .jsonc.',
  })
})
