import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { actionArgv } from '../../scripts/action/run-action.ts'
import { loadFaults, namesIn } from '../../scripts/given-files.ts'
import { projectPath, VERSION } from '../../scripts/project.ts'
import { acceptingProgram } from '../test/run-command-line.ts'

const text = (path: string) => readFileSync(projectPath(`examples/${path}`), 'utf8')
const workflows = readdirSync(projectPath('examples/github'))

/** Whether the command line is one that the real commands take; nothing is run. Throws as commander does. */
function accept(argv: readonly string[]): void {
  acceptingProgram().parse([...argv], { from: 'user' })
}

const stepSchema = z.object({
  uses: z.string().optional(),
  with: z.record(z.string(), z.coerce.string()).optional(),
})
const workflowSchema = z.object({
  on: z.unknown(),
  permissions: z.record(z.string(), z.literal('read')),
  jobs: z.record(z.string(), z.object({ 'timeout-minutes': z.number(), steps: z.array(stepSchema) })),
})

/** What expressions may stand for. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  '${{ steps.last.outputs.arguments }}': '--baseline=last-night\n--single',
  '${{ inputs.case }}': 'refresh-race-two-tabs',
  '${{ inputs.rate }}': '2000',
  '${{ inputs.parallelism }}': '8',
}

const filled = (value = '') =>
  value.replace(/\$\{\{.*?\}\}/g, (expression) => EXPRESSIONS[expression] ?? expression)

test.each(workflows)('%s: its steps run commands that there are, may only read, and end in time', (file) => {
  const { jobs } = workflowSchema.parse(parse(text(`github/${file}`)))
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  const ours = steps.filter(({ uses }) => uses?.startsWith('example-org/breakwater@'))
  expect(ours.length).toBe(1)
  for (const { uses, with: inputs = {} } of ours) {
    expect(uses).toBe(`example-org/breakwater@v${VERSION}`)
    const { command = '', target = '', waivers = '' } = inputs
    accept(actionArgv({ command, target, waivers, arguments: filled(inputs.arguments) }, 'out'))
  }
})

test('each job has a workflow, and a job of the pipeline', () => {
  const jobs = ['smoke', 'capacity', 'compare', 'repro']
  // The image has no kubectl: a pipeline of GitLab brings an image of its own.
  expect(workflows.toSorted()).toEqual([...jobs, 'k8s'].map((job) => `${job}.yml`).toSorted())
  expect(Object.keys(parse(text('gitlab/gitlab-ci.yml')))).toEqual(expect.arrayContaining(jobs))
})

test('the workflow of cases offers every case', () => {
  const { on } = parse(text('github/repro.yml'))
  expect(on.workflow_dispatch.inputs.case.options).toEqual(namesIn('fixtures/cases').toSorted())
})

const pipelineJob = z.object({
  stage: z.string(),
  extends: z.literal('.breakwater'),
  timeout: z.string(),
  rules: z.array(z.unknown()).min(1),
  script: z.array(z.string()).length(1),
})

test.each(['smoke', 'capacity', 'compare', 'repro'])('the pipeline of GitLab: %s', (name) => {
  const pipeline = parse(text('gitlab/gitlab-ci.yml'))
  const { stage, script } = pipelineJob.parse(pipeline[name])
  expect(pipeline.stages).toContain(stage)
  const [program, ...argv] = (script[0] ?? '').replace('"$CASE"', 'a-case').split(' ')
  expect(program).toBe('breakwater')
  accept(argv)
  // What its template and its JUnit report look for.
  expect(script[0]).toMatch(/ --out run$/)
})

const serviceSchema = z.object({
  image: z.literal(`breakwater:${VERSION}`),
  command: z.array(z.string()).optional(),
  network_mode: z.literal('service:stub').optional(),
  entrypoint: z.array(z.string()).optional(),
  depends_on: z.object({ stub: z.object({ condition: z.literal('service_healthy') }) }).optional(),
  healthcheck: z.record(z.string(), z.unknown()),
})

test('the composition: a stub, and beside it, once it is healthy, client and observer', async () => {
  const { services } = parse(text('compose/compose.yml'), { merge: true })
  const { stub, client, observer } = z
    .strictObject({ stub: serviceSchema, client: serviceSchema, observer: serviceSchema })
    .parse(services)
  accept(stub.command ?? [])
  accept(observer.command ?? [])
  for (const beside of [client, observer]) {
    expect([beside.network_mode, beside.depends_on?.stub.condition]).toEqual([
      'service:stub',
      'service_healthy',
    ])
  }
  const [, plan = ''] = /--faults=(\S+)/.exec((stub.command ?? []).join(' ')) ?? []
  await loadFaults(plan, '.')
})

test('a command line that there is not is found', () => {
  expect(() => accept(['smoke', '--no-such-option'])).toThrow('unknown option')
  expect(() => accept(['capacity', '--require=many'])).toThrow('a rate')
})
