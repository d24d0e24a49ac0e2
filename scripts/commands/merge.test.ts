import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXIT } from '../../contract/breakwater-error.ts'
import type { TrialFacts } from '../../contract/capacity.ts'
import { reportSchema } from '../../contract/report.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { LOAD, makeRun, merge, RUN, readRunFile, SLO, twoRuns } from './test-generator-runs.ts'

test('merges three runs, and judges the whole instead of each part', async () => {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'a', { ms: 50, count: 15 })
  await makeRun(cwd, 'b', { ms: 10, count: 10 })
  await makeRun(cwd, 'c', { ms: 10, count: 10 })
  expect((await runCommandLine(['report', join(cwd, 'a')])).exitCode).toBe(EXIT.failed)
  const { exitCode, stdout, stderr } = await merge(cwd, 'a', 'b', 'c', '--json')
  expect([exitCode, stderr]).toEqual([EXIT.ok, ''])
  const report = reportSchema.parse(JSON.parse(stdout))
  expect(report).toMatchObject({ job: 'load', verdict: 'pass', notes: [] })
  expect(report.latency.groups[0]).toMatchObject({ routeGroup: '*', count: 4 * 35, max: 50 })
  expect(report.generator).toMatchObject({ iterations: 4 * 35, complete: true })
  expect(readRunFile(cwd, 'm')).toMatchObject({
    ...RUN,
    state: 'finished',
    load: { ...LOAD, rate: 30 },
    instances: 3,
    mergedFrom: ['a-id (a)', 'b-id (b)', 'c-id (c)'],
    command: 'breakwater merge a b c --json --output m',
  })
})

test('prints its folder, by default in runs/', async () => {
  const cwd = await twoRuns()
  const { stdout } = await runCommandLine(['merge', 'a', 'b'], { cwd })
  const [folder = ''] = readdirSync(join(cwd, 'runs'))
  expect(folder).toMatch(/^\d{8}T\d{6}-load-merged-/)
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Report: runs/${folder}/report.html`)
})

test('a merged run can be merged again, but not with one of its parts', async () => {
  const cwd = await twoRuns()
  await makeRun(cwd, 'c', { ms: 10, count: 10 })
  await merge(cwd, 'a', 'b')
  expect((await merge(cwd, 'm', 'c', '--output', 'm2')).exitCode).toBe(EXIT.ok)
  expect(readRunFile(cwd, 'm2')).toMatchObject({
    instances: 3,
    mergedFrom: ['a-id (a)', 'b-id (b)', 'c-id (c)'],
  })
  const { exitCode, stderr } = await merge(cwd, 'm', 'a', '--output', 'm3')
  expect(stderr).toBe(
    'breakwater: a: contains the run a-id, and so does m: it would count twice\n  Name each run once.\n',
  )
  expect(exitCode).toBe(EXIT.usage)
})

test('merges trials: adds up rates, cores and VUs, and judges the time in which all generated load', async () => {
  const cwd = await twoRuns()
  writeTrial(cwd, 'a', { rate: 10, judgedFrom: 100, judgedTo: 104, vusMax: 5 })
  writeTrial(cwd, 'b', {
    rate: 30,
    judgedFrom: 101,
    judgedTo: 105,
    vusMax: 7,
    ended: 'interrupted',
    reason: 'Ctrl-C',
  })
  await merge(cwd, 'a', 'b')
  expect(JSON.parse(readFileSync(join(cwd, 'm', RUN_FILES.trials), 'utf8'))).toEqual({
    ...TRIAL,
    rate: 40,
    judgedFrom: 101,
    judgedTo: 104,
    ended: 'interrupted',
    reason: 'Ctrl-C',
    instances: 2,
    vusMax: 12,
    generator: {
      ...TRIAL.generator,
      cpuCores: 3,
      cpuCoresMax: 8,
      residentMbMax: null,
    },
  })
})

test('merged trials keep the figures of each runner; a machine counts as one', async () => {
  const cwd = await twoRuns()
  const { generator } = TRIAL
  const [one, two] = [
    { ...generator, cpuCores: 1 },
    { ...generator, cpuCores: 2 },
  ]
  writeTrial(cwd, 'a', { runners: [one, two] })
  writeTrial(cwd, 'b', {})
  await merge(cwd, 'a', 'b')
  const { runners } = JSON.parse(readFileSync(join(cwd, 'm', RUN_FILES.trials), 'utf8'))
  expect(runners).toEqual([one, two, generator])
})

test('keeps the findings of all', async () => {
  const cwd = await twoRuns()
  writeFileSync(join(cwd, 'a', RUN_FILES.findings), '{"a":1}')
  writeFileSync(join(cwd, 'b', RUN_FILES.findings), '{"b":1}\n')
  await merge(cwd, 'a', 'b')
  expect(readFileSync(join(cwd, 'm', RUN_FILES.findings), 'utf8')).toBe('{"a":1}\n{"b":1}\n')
})

type BadRun = { what: string; run: Partial<Run>; message: string; hint: string }

const TOGETHER =
  'Merge only runs of one load: the same load on the same target, with the same objectives and rules.'

test.each<BadRun>([
  {
    what: 'of another job',
    run: { job: 'smoke' },
    message: 'b: not the same job as a: smoke instead of load',
    hint: TOGETHER,
  },
  {
    what: 'of another target',
    run: { target: { name: 'other', baseUrl: 'http://x', wsUrl: 'ws://x', control: false } },
    message: 'b: not the same target as a: other at http://x instead of synthetic at http://127.0.0.1:1',
    hint: TOGETHER,
  },
  {
    what: 'of another mix',
    run: { mix: 'smoke' },
    message: 'b: not the same mix as a: smoke instead of reads',
    hint: TOGETHER,
  },
  {
    what: 'of another length',
    run: { load: { ...LOAD, seconds: 60 } },
    message: 'b: not the same load as a: 60 s after a warm-up of 1 s instead of 3 s after a warm-up of 1 s',
    hint: TOGETHER,
  },
  {
    what: 'judged by something else',
    run: { slo: { ...SLO, name: 'other' } },
    message: 'b: other objectives than a',
    hint: 'Pass the objectives for the merged run with --slo FILE.',
  },
  {
    what: 'of a search',
    run: { job: 'capacity' },
    message: 'b: a run of capacity cannot be merged: each search chooses its own loads',
    hint: 'Expected runs of load, run or smoke. To compare two runs: `breakwater compare A B`.',
  },
  {
    what: 'of another time, or with another clock',
    run: { startedAt: '2026-01-02T05:04:05Z', finishedAt: '2026-01-02T06:04:05Z' },
    message: 'b: started 3600 s after a had ended, by the clocks of their machines',
    hint: 'Either they did not run together, or a clock is wrong: set it (NTP), and start all generators together. To compare consecutive runs: `breakwater compare A B`.',
  },
])('rejects a run $what, and leaves nothing', async ({ run, message, hint }) => {
  const cwd = await twoRuns(run)
  const { exitCode, stderr } = await merge(cwd, 'a', 'b')
  expect(stderr).toBe(`breakwater: ${message}\n  ${hint}\n`)
  expect(exitCode).toBe(EXIT.usage)
  expect(readdirSync(cwd)).toEqual(['a', 'b'])
})

test('the given objectives replace differing ones', async () => {
  const cwd = await twoRuns({ slo: { ...SLO, name: 'other' } })
  writeFileSync(join(cwd, 'slo.json'), JSON.stringify({ ...SLO, name: 'given' }))
  expect((await merge(cwd, 'a', 'b', '--slo', 'slo.json')).exitCode).toBe(EXIT.ok)
  expect(readRunFile(cwd, 'm').slo).toMatchObject({ name: 'given' })
})

const TRIAL: TrialFacts = {
  trial: 1,
  phase: 'stage',
  rate: 10,
  rateFrom: null,
  warmUpSeconds: 1,
  seconds: 3,
  judgedFrom: 100,
  judgedTo: 103,
  ended: 'completed',
  reason: null,
  instances: 1,
  vusMax: 5,
  generator: {
    cpuCores: 1.5,
    cpuCoresMax: 4,
    machineBusy: 0.5,
    runQueueCores: 0,
    throttledShare: null,
    openFilesMax: 20,
    openFilesLimit: 1024,
    portsUsedMax: 10,
    portsMax: 28_000,
    residentMbMax: null,
  },
  target: null,
}

function writeTrial(cwd: string, name: string, facts: Partial<TrialFacts>): void {
  writeFileSync(join(cwd, name, RUN_FILES.trials), `${JSON.stringify({ ...TRIAL, ...facts })}\n`)
}
