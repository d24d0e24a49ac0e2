// Short real searches. Other tests check the quality of the result.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { trialFactsSchema } from '../../contract/capacity.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { givenStub } from '../../tools/test/given-stub.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const RUN_MS_MAX = { timeout: 180_000 }
/** Independent of the speed of the machine. */
const LENIENT = { name: 'lenient', objectives: [{ routeGroup: '*', quantile: 0.5, latencyMsMax: 9000 }] }

test('searches within its bounds and its budget, and prints and stores each trial', RUN_MS_MAX, async () => {
  const cwd = folder()
  const bounds = [
    '--from',
    '80',
    '--to',
    '100',
    '--trial-duration',
    '2s',
    '--max-duration',
    '15s',
    '--max-requests',
    '9000',
  ]
  const { stderr } = await runCommandLine([...CAPACITY, ...bounds], { cwd })
  expect(stderr).toContain(
    'capacity of the stub\n  searching from 80 iterations per second up to 100, within 5 %',
  )
  expect(stderr).toContain('  at most 15 s, and at most 9000 requests\n')
  const printed = stderr.split('\n').filter((line) => /^trial .* for [\d.]+ s, /.test(line))
  const { capacity, generator, job } = readReport(cwd)
  expect(job).toBe('capacity')
  const trials = capacity?.trials ?? []
  expect(trials.length).toBeGreaterThan(0)
  expect(printed.map((line) => /^trial (\d+): (\d+)\/s/.exec(line)?.slice(1).map(Number))).toEqual(
    trials.map(({ trial, rate }) => [trial, rate]),
  )
  expect(printed.at(-1)).toMatch(/; \d+ s and \d+ requests left$/)
  for (const { rate } of trials) {
    expect(rate).toBeGreaterThanOrEqual(80)
    expect(rate).toBeLessThanOrEqual(100)
  }
  expect(capacity?.budget).toMatchObject({ secondsMax: 15, requestsMax: 9000 })
  expect(capacity?.budget.requestsUsed).toBeLessThanOrEqual(9000)
  expect(generator.complete).toBe(true)
  expect(readFacts(cwd)).toHaveLength(trials.length)
})

test('runs stages as one load, and judges each separately', RUN_MS_MAX, async () => {
  const cwd = folder()
  const stages = [
    { seconds: 2, rate: 40 },
    { seconds: 2, rate: 80 },
    { seconds: 2, rate: 80 },
  ]
  writeFileSync(join(cwd, 'up.json'), JSON.stringify({ name: 'up', description: 'd', stages }))
  const { stderr } = await runCommandLine([...CAPACITY, '--stages', 'up.json', '--to', '60'], { cwd })
  expect(stderr).toContain('  the stages up; mix reads, arrivals poisson, objectives lenient\n')
  const facts = readFacts(cwd)
  expect(facts).toMatchObject([
    { trial: 1, phase: 'stage', rateFrom: null, rate: 30, warmUpSeconds: 0, seconds: 2, ended: 'completed' },
    { trial: 2, phase: 'stage', rateFrom: 30, rate: 60, warmUpSeconds: 0, seconds: 2, ended: 'completed' },
    { trial: 3, phase: 'stage', rateFrom: null, rate: 60, warmUpSeconds: 0, seconds: 2, ended: 'completed' },
  ])
  const [first, second, third] = facts.map(({ judgedFrom }) => judgedFrom ?? 0)
  expect([(second ?? 0) - (first ?? 0), (third ?? 0) - (second ?? 0)]).toEqual([2, 2])
  expect(readReport(cwd).capacity?.trials.map(({ phase }) => phase)).toEqual(['stage', 'stage', 'stage'])
})

test('Ctrl-C ends the trial and reports the results until then', RUN_MS_MAX, async () => {
  const cwd = folder()
  const ctrlC = new AbortController()
  const { exitCode, stderr } = await runCommandLine([...CAPACITY, '--from', '80', '--trial-duration', '2s'], {
    cwd,
    interrupted: ctrlC.signal,
    onStderr: (text) => {
      if (text.startsWith('trial 1:')) ctrlC.abort('SIGINT')
    },
  })
  expect(exitCode).toBe(130)
  expect(stderr).toContain('interrupted: writing the report; Ctrl-C again ends at once\n')
  const { verdict, capacity, run, generator } = readReport(cwd)
  expect({ verdict, state: run.state }).toEqual({ verdict: 'interrupted', state: 'interrupted' })
  expect(capacity?.rate).toBeNull()
  // The series until then is complete.
  expect(generator.complete).toBe(true)
  await expect(fetch(`${run.target.baseUrl}/health`)).rejects.toThrow('fetch failed')
})

test('ends a trial that has used up the request budget', RUN_MS_MAX, async () => {
  const cwd = folder()
  const argv = [...CAPACITY, '--stages', 'long.json', '--max-requests', '100']
  const stages = [{ seconds: 60, rate: 30 }]
  writeFileSync(join(cwd, 'long.json'), JSON.stringify({ name: 'long', description: 'd', stages }))
  const { stderr } = await runCommandLine(argv, { cwd })
  expect(stderr).toContain('inconclusive (the request budget of the search was used up)')
  expect(readFacts(cwd)).toMatchObject([{ ended: 'budget' }])
})

test('reports no capacity for a target that is gone', RUN_MS_MAX, async () => {
  const cwd = folder()
  const given = await givenStub(cwd)
  given.writeProfile()
  const { exitCode, stdout } = await runCommandLine(
    [
      ...CAPACITY,
      '--target',
      'profile.json',
      '--from',
      '80',
      '--to',
      '80',
      '--trial-duration',
      '2s',
      '--max-duration',
      '30s',
    ],
    {
      cwd,
      onStderr: (text) => {
        if (text.startsWith('capacity of')) void given.stub.close()
      },
    },
  )
  expect(stdout).toContain('errors of all requests at most 1 %')
  expect(readReport(cwd).capacity?.rate).toBeNull()
  expect(exitCode).toBe(1)
})

const CAPACITY = ['capacity', '--slo', 'slo.json', '--output', 'run']

function folder(): string {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'slo.json'), JSON.stringify(LENIENT))
  return cwd
}

function readReport(cwd: string): Report {
  return reportSchema.parse(JSON.parse(readFileSync(join(cwd, 'run', 'report.json'), 'utf8')))
}

function readFacts(cwd: string) {
  const lines = readFileSync(join(cwd, 'run', 'trials.ndjson'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => trialFactsSchema.parse(JSON.parse(line)))
}
