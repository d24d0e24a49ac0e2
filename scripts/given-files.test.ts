import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { stagesJsonSchema, stagesSchema } from '../contract/stages.ts'
import { createTestBed } from '../simulator/exchange/test-bed.ts'
import { requireKnownRoutes } from '../simulator/faults/fault-plan.ts'
import { faultPlanJsonSchema } from '../tools/generate/pages/faults-page.ts'
import { temporaryFolder } from '../tools/test/temporary-folder.ts'
import { faultPlanNames, loadFaults, loadStages, stageNames } from './given-files.ts'
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

const isPlan = new Ajv.default({ strict: false }).compile(faultPlanJsonSchema())
const { app } = await createTestBed()
await app.ready()

test.each(faultPlanNames())(
  'the plan %s loads, fits the stub, and has a schema that editors find',
  async (name) => {
    const plan = await loadFaults(name, '/')
    expect(() => requireKnownRoutes(plan, app.routeNames)).not.toThrow()
    const written = JSON.parse(readFileSync(projectPath(`fixtures/faults/${name}.json`), 'utf8'))
    expect(written.$schema).toBe('../../docs/reference/schemas/fault-plan.schema.json')
    expect([isPlan(written), isPlan.errors]).toEqual([true, null])
  },
)

test('the plan in the docs is valid and fits the stub', async () => {
  const [, shown = ''] =
    /```json\n([\s\S]*?)```/.exec(readFileSync(projectPath('docs/reference/faults.md'), 'utf8')) ?? []
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'shown.json'), shown)
  const plan = await loadFaults('shown.json', cwd)
  expect(() => requireKnownRoutes(plan, app.routeNames)).not.toThrow()
})

async function catchError(plan: object) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify(plan))
  return loadFaults('mine.json', cwd).then(
    () => expect.fail('it was taken'),
    (error: unknown) => error,
  )
}

test('rejects a plan with every problem, its path and what was expected', async () => {
  const error = await catchError({
    descripton: 'of a test',
    faults: [
      { fault: 'http-reest' },
      { fault: 'http-error', when: { probability: -0.1, evry: 2 }, status: 200 },
      { fault: 'http-latency', latency: { distribution: 'uniform', minMs: 5, maxMs: 4 } },
      { fault: 'http-429', limit: { mode: 'bucket' }, where: { routes: [] } },
      { fault: 'slow-indexer', lag: {} },
      {},
    ],
  })
  expect(error).toMatchObject({ exitCode: 2 })
  expect(String(error).split('\n')).toEqual([
    'BreakwaterError: mine.json: not a valid fault plan:',
    '  description: missing; expected a string',
    '  faults[0].fault: unknown name "http-reest"; did you mean http-reset, http-429 or http-error?',
    '  faults[1].status: expected at least 400',
    '  faults[1].when.probability: expected more than 0',
    '  faults[1].when.evry: unknown key; did you mean every, forMs or on?',
    '  faults[2].latency.maxMs: expected at least minMs',
    '  faults[3].where.routes: expected at least 1 item',
    '  faults[3].limit.mode: unknown name "bucket"; expected fixed, burst or token-bucket',
    '  faults[4].lag: expected {"blocks": NUMBER} or {"ms": NUMBER}',
    '  faults[5].fault: missing; expected a name, such as http-429, http-error or http-latency',
    '  descripton: unknown key; expected description, seed or faults',
  ])
})

test('an unknown name suggests the nearest ones', async () => {
  await expect(loadFaults('no-such', '/')).rejects.toMatchObject({
    message: 'unknown fault plan "no-such"',
    hint: 'Did you mean no-routes, ws-cut or outage? All are in fixtures/faults. The name of your own file must end in .json or .jsonc.',
  })
})
