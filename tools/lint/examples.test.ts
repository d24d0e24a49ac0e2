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

/** Parses the command line with the real commands, but runs nothing. Throws commander's errors. */
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

const EXPRESSIONS: Readonly<Record<string, string>> = {
  '${{ steps.last.outputs.arguments }}': '--baseline=last-night\n--allow-single-run',
  '${{ inputs.case }}': 'refresh-race-two-tabs',
  '${{ inputs.rate }}': '2000',
  '${{ inputs.parallelism }}': '8',
}

const filled = (value = '') =>
  value.replace(/\$\{\{.*?\}\}/g, (expression) => EXPRESSIONS[expression] ?? expression)

test.each(workflows)(
  '%s: its steps run existing commands, have read permissions only, and have timeouts',
  (file) => {
    const { jobs } = workflowSchema.parse(parse(text(`github/${file}`)))
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    const ours = steps.filter(({ uses }) => uses?.startsWith('example-org/breakwater@'))
    expect(ours.length).toBe(1)
    for (const { uses, with: inputs = {} } of ours) {
      expect(uses).toBe(`example-org/breakwater@v${VERSION}`)
      const { command = '', target = '', waivers = '' } = inputs
      accept(actionArgv({ command, target, waivers, arguments: filled(inputs.arguments) }, 'out'))
    }
  },
)

test('each job has a workflow and a job in the pipeline', () => {
  const jobs = ['smoke', 'capacity', 'compare', 'repro']
  // The image has no kubectl, so a GitLab pipeline needs its own image for k8s.
  expect(workflows.toSorted()).toEqual([...jobs, 'k8s'].map((job) => `${job}.yml`).toSorted())
  expect(Object.keys(parse(text('gitlab/gitlab-ci.yml')))).toEqual(expect.arrayContaining(jobs))
})

test('the workflow of cases lists every case', () => {
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
  // The path that its template and JUnit report expect.
  expect(script[0]).toMatch(/ --output run$/)
})

const serviceSchema = z.object({
  image: z.literal(`breakwater:${VERSION}`),
  command: z.array(z.string()).optional(),
  network_mode: z.literal('service:stub').optional(),
  entrypoint: z.array(z.string()).optional(),
  depends_on: z.object({ stub: z.object({ condition: z.literal('service_healthy') }) }).optional(),
  healthcheck: z.record(z.string(), z.unknown()),
})

test('the composition starts client and observer once the stub is healthy', async () => {
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

test('an invalid command line is rejected', () => {
  expect(() => accept(['smoke', '--no-such-option'])).toThrow('unknown option')
  expect(() => accept(['capacity', '--min-rate=many'])).toThrow('--min-rate: invalid value')
})
