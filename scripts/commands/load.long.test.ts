// Short real loads against a stub that counts its requests.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TrialFacts } from '../../contract/capacity.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { type Run, runSchema } from '../../contract/run.ts'
import { type GivenStub, givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RUN_MS_MAX = { timeout: 120_000 }
/** Requests about the stub itself. */
const ABOUT_IT = ['/metrics', '/health']
/** Independent of the speed of the machine. */
const LENIENT = { name: 'lenient', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 9000 }] }

test.each([
  { instances: 1, rate: 40, trial: {} },
  { instances: 3, rate: 40, trial: { instances: 3 } },
])('with $instances generators, the report counts one request of each client', RUN_MS_MAX, async (load) => {
  const { cwd, given } = await withTarget()
  const { exitCode, stderr } = await runLoad(cwd, ['--instances', String(load.instances)])
  expect(stderr).toContain(
    `load of stub: ${given.stub.profile.baseUrl}\n  40 iterations per second for 3 s; mix reads`,
  )
  expect([0, 1]).toContain(exitCode)
  const { report, run, trials } = readRun(cwd)
  expect(run).toMatchObject({
    job: 'load',
    state: 'finished',
    mix: 'reads',
    instances: load.instances,
    load: { rate: 40, warmUpSeconds: 1, seconds: 3 },
  })
  expect(trials).toMatchObject([
    { trial: 1, phase: 'stage', rate: 40, ended: 'completed', instances: load.instances },
  ])
  const [{ judgedFrom, judgedTo } = {}] = trials
  expect((judgedTo ?? 0) - (judgedFrom ?? 0)).toBe(3)
  const seen = await given.requests(ABOUT_IT)
  // One more checks that it is an exchange, and three measure its latency.
  expect(report.capacity?.budget.requestsUsed).toBe(seen.length - 4)
  expect(report.generator.iterations).toBe(seen.length - 4)
  // All samples have the trial, except those of the generators themselves. The heartbeat marks the start of each generator.
  const lines = readFileSync(join(cwd, 'run', 'series.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const points = lines.filter(({ metric }) => metric !== undefined)
  const untagged = points.filter(({ tags }) => tags.trial !== '1').map(({ metric }) => metric)
  expect(untagged.filter((metric) => !metric.startsWith('generator_'))).toEqual([])
  expect(untagged).toContain('generator_cpu_seconds')
  expect(trials[0]?.generator.cpuCores).toBeGreaterThan(0)
  const starts = points.filter(({ metric }) => metric === 'load_start')
  expect(starts.reduce((sum, { count }) => sum + count, 0)).toBe(load.instances)
  expect(lines.at(-1)).toMatchObject({ type: 'end' })
  expect(existsSync(join(cwd, 'run', 'trials'))).toBe(false)
})

test('signed-in clients run during the whole load, and leave at the end', RUN_MS_MAX, async () => {
  const { cwd, given } = await withTarget()
  writeFileSync(join(cwd, 'mix.json'), JSON.stringify(SESSIONS))
  const { exitCode } = await runLoad(cwd, ['--mix', 'mix.json', '--rate', '4'])
  expect([0, 1]).toContain(exitCode)
  const routes = (await given.requests(ABOUT_IT)).map(({ method, route }) => `${method} ${route}`)
  const count = (name: string) => routes.filter((route) => route === name).length
  expect(count('POST /auth/verify')).toBeGreaterThan(0)
  expect(count('POST /auth/logout')).toBe(count('POST /auth/verify'))
})

test(
  'the recorded command does not contain the address of its own stub, which stops at the end',
  RUN_MS_MAX,
  async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'slo.json'), JSON.stringify(LENIENT))
    const argv = [
      'load',
      '--rate',
      '40',
      '--duration',
      '3s',
      '--warm-up',
      '1s',
      '--slo',
      'slo.json',
      '--json',
    ]
    const { exitCode, stdout, stderr } = await runCommandLine(argv, { cwd })
    expect(stderr).toContain('load of the stub\n')
    expect([0, 1]).toContain(exitCode)
    const report = reportSchema.parse(JSON.parse(stdout))
    expect(report).toMatchObject({ job: 'load', run: { world: 'tiny', target: { name: 'stub' } } })
    await expect(fetch(`${report.run.target.baseUrl}/health`)).rejects.toThrow('fetch failed')
  },
)

test('leaves a folder with files unchanged', RUN_MS_MAX, async () => {
  const { cwd } = await withTarget()
  mkdirSync(join(cwd, 'run'))
  writeFileSync(join(cwd, 'run', 'precious'), 'x')
  const { exitCode, stderr } = await runLoad(cwd, [])
  expect(stderr).toContain('run: the folder is not empty, and runs never overwrite files')
  expect(exitCode).toBe(2)
  expect(readdirSync(join(cwd, 'run'))).toEqual(['precious'])
})

const SESSIONS = {
  name: 'sessions',
  description: 'a few that sign in',
  durationSeconds: 60,
  clients: [
    {
      name: 'traders',
      description: 'sign in, and look',
      credential: 'session',
      arrivalRate: 1,
      sessionDuration: { distribution: 'constant', seconds: 1 },
      thinkTime: { distribution: 'constant', seconds: 0.5 },
      steps: [{ weight: 1, requests: ['tokens'] }],
    },
  ],
}

async function withTarget(more: object = {}): Promise<{ cwd: string; given: GivenStub }> {
  const cwd = temporaryFolder()
  const given = await givenStub(cwd)
  given.writeProfile({ more })
  writeFileSync(join(cwd, 'slo.json'), JSON.stringify(LENIENT))
  return { cwd, given }
}

function runLoad(cwd: string, args: readonly string[]) {
  const load = ['load', '--rate', '40', '--duration', '3s', '--warm-up', '1s', '--slo', 'slo.json']
  return runCommandLine([...load, '--target', 'profile.json', '--output', 'run', ...args], { cwd })
}

function readRun(cwd: string): { report: Report; run: Run; trials: TrialFacts[] } {
  const text = (name: string) => readFileSync(join(cwd, 'run', name), 'utf8')
  return {
    report: reportSchema.parse(JSON.parse(text('report.json'))),
    run: runSchema.parse(JSON.parse(text('run.json'))),
    trials: text('trials.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  }
}
