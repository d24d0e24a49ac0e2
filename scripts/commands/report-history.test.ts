import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../contract/run.ts'
import type { RunRecord } from '../../contract/run-record.ts'
import type { RunTrend } from '../../contract/trend.ts'
import { makeSyntheticCapacityRun, queueTarget } from '../../reports/capacity/synthetic-capacity-run.ts'
import { makeSteadyRun } from '../../reports/synthetic-run.ts'
import { TREND_DEFAULTS } from '../../reports/trend/judge-trend.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import { makeRecord, writeRecord } from '../run-history/run-records.ts'
import { buildProgram } from './build-program.ts'

const DAY_MS = 86_400_000

function dayOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * DAY_MS).toISOString()
}

/** A history of 20 equal runs, then `slow` runs whose latencies are all 20 % higher, and the run `now` after them. */
async function makeHistory(cwd: string, { slow = 0, run = {} as Partial<Run> } = {}) {
  const released = { release: null, commit: null }
  const at = { startedAt: dayOf(40), finishedAt: dayOf(40), ...run }
  const dir = await makeSteadyRun(cwd, 'runs/now', { number: 1, run: at })
  const usual = await makeRecord(await makeSteadyRun(cwd, 'fast', { number: 2 }), released, 'fast')
  const slower = await makeRecord(
    await makeSteadyRun(cwd, 'slow', { number: 3, poolsMs: 24 }),
    released,
    'slow',
  )
  for (let number = 0; number < 20 + slow; number++)
    await add(cwd, number < 20 ? usual : slower, { number, release: `v1.${number}.0` })
  return dir
}

async function add(
  cwd: string,
  record: RunRecord,
  { number, ...changed }: Partial<RunRecord> & { number: number },
) {
  await writeRecord(join(cwd, 'history'), {
    ...record,
    id: `run-${number}`,
    startedAt: dayOf(number),
    ...changed,
  })
}

async function report(cwd: string, line = '--history history') {
  const argv = ['report', join(cwd, 'runs/now'), ...line.split(' ').filter((word) => word !== '')]
  return runCommandLine(argv, { cwd })
}

const read = (cwd: string, name: string) => readFileSync(join(cwd, 'runs/now', name), 'utf8')

function readTrend(cwd: string): RunTrend {
  return JSON.parse(read(cwd, 'report.json')).trend
}

test('shows the run among the earlier runs of its group, without a later run or another group', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  const record: RunRecord = JSON.parse(readFileSync(join(cwd, 'history/run-3.run.json'), 'utf8'))
  await add(cwd, record, { number: 50 })
  await add(cwd, record, { number: 10, id: 'bots', mix: 'bots' })
  expect(await report(cwd)).toMatchObject({ stderr: '' })
  const { trend, ...rest } = readTrend(cwd)
  expect(rest).toEqual({ history: 'history', reason: null })
  expect(trend?.points.map(({ id }) => id)).toEqual([
    ...Array.from({ length: 20 }, (_, number) => `run-${number}`),
    'runs.now',
  ])
  expect(trend).toMatchObject({ changes: [], note: null, group: { job: 'load', mix: 'reads' } })
  expect(read(cwd, 'summary.md')).toContain('\nTrend of 21 runs in history: no change.\n')
  const page = read(cwd, 'report.html')
  expect(page).toContain('<h2 id="trend">Trend <span class="quiet"><bdi>history</bdi></span></h2>')
  expect(page.match(/<circle class="p\d+" [^>]* r="5">/g)).toHaveLength(3)
  expect(page.match(/<circle class="p\d+" [^>]* r="2">/g)).toHaveLength(60)
  expect(page).toContain('.trend .change')
})

test('a change is in the page, the summary and the data, and the exit code stays', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd, { slow: 3 })
  const { exitCode } = await report(cwd, '')
  expect((await report(cwd)).exitCode).toBe(exitCode)
  const { trend } = readTrend(cwd)
  expect(trend?.changes).toMatchObject([{ at: 20, isConfirmed: true, direction: 'worse' }])
  const change = /confirmed: worse since v1\.20\.0, run run-20: p50 20\.?\d* -\S* /
  expect(read(cwd, 'report.html')).toMatch(/confirmed: worse since v1\.20\.0, run run-20: p50 /)
  expect(read(cwd, 'report.html')).toContain('class="change worse"')
  expect(read(cwd, 'summary.md').replaceAll('\\', '')).toMatch(change)
})

test('without the option, the report is as before', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  await report(cwd, '')
  const before = [read(cwd, 'report.json'), read(cwd, 'summary.md')]
  await report(cwd)
  await report(cwd, '')
  expect([read(cwd, 'report.json'), read(cwd, 'summary.md')]).toEqual(before)
  expect(before[0]).not.toContain('"trend"')
  expect(read(cwd, 'report.html')).not.toContain('trend')
})

test('a run that the history has is not counted twice, and keeps its release', async () => {
  const cwd = temporaryFolder()
  const dir = await makeHistory(cwd)
  const released = { release: 'v2.0.0', commit: '4be1c2d' }
  await writeRecord(join(cwd, 'history'), await makeRecord(dir, released, 'now'))
  await report(cwd)
  expect(readTrend(cwd).trend?.points.slice(19)).toMatchObject([
    { id: 'run-19' },
    { id: 'runs.now', ...released },
  ])
})

test.each([
  {
    what: 'another mix',
    run: { mix: 'bots' },
    reason: 'none of 20 earlier runs is comparable; the nearest has another mix',
  },
  { what: 'an unfinished run', run: { state: 'failed' }, reason: 'the run did not finish: failed' },
  {
    what: 'a run before the history',
    run: { startedAt: '2025-01-01T00:00:00Z' },
    reason: 'the history has no earlier run',
  },
] as const)('$what: the report says why there is no trend', async ({ run, reason }) => {
  const cwd = temporaryFolder()
  await makeHistory(cwd, { run })
  expect(await report(cwd)).toMatchObject({ stderr: '' })
  expect(readTrend(cwd)).toEqual({ history: 'history', reason, trend: null })
  expect(read(cwd, 'report.html')).toContain(`<p>No trend: <bdi>${reason}</bdi>.</p>`)
  expect(read(cwd, 'summary.md')).toContain(`\nNo trend in history: ${reason}.\n`)
})

test('with few runs, the points are shown and not judged', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  for (let number = 4; number < 20; number++) rmSync(join(cwd, `history/run-${number}.run.json`))
  await report(cwd)
  expect(readTrend(cwd).trend).toMatchObject({ changes: [], note: '5 of 10 runs that a trend needs' })
  expect(read(cwd, 'report.html')).toContain('Not judged: 5 of 10 runs that a trend needs.')
  expect(read(cwd, 'summary.md')).toContain(
    'Trend of 5 runs in history: not judged: 5 of 10 runs that a trend needs.',
  )
})

test('the first report of a search has its capacity in the trend', async () => {
  const cwd = temporaryFolder()
  const dir = join(cwd, 'runs/now')
  const loads = [{ rate: 200 }, { rate: 380 }, { rate: 400 }]
  const trials = [...loads, { rate: 380, phase: 'confirmation' as const, seconds: 20 }]
  await makeSyntheticCapacityRun({ dir, seed: 1, target: queueTarget(400), trials })
  await report(cwd, '')
  const record = await makeRecord(dir, { release: null, commit: null }, 'now')
  await add(cwd, record, { number: -40, capacity: 100 })
  await add(cwd, record, { number: -39, axis: 'sockets', capacity: 900 })
  await add(cwd, record, { number: -38, objectives: 'p95 of all requests at most 50 ms', capacity: 90 })
  rmSync(join(dir, 'report.json'))
  await report(cwd)
  const { trend } = readTrend(cwd)
  expect(trend?.points.map(({ capacity }) => capacity)).toEqual([100, 380])
  expect(trend?.group).toMatchObject({
    axis: 'rate',
    objectives:
      '429s of all requests at most 1 %, dropped iterations at most 1 %, errors of all requests at most 1 %, p95 of all requests at most 100 ms',
  })
})

test('names damaged records, and uses the others', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  writeFileSync(join(cwd, 'history/run-7.run.json'), '{"record": 1')
  expect((await report(cwd)).stderr).toBe('damaged, left out: run-7.run.json: not JSON\n')
  expect(readTrend(cwd).trend?.points).toHaveLength(20)
})

test.each([
  ['report runs/now --history nowhere', 'nowhere: the folder does not exist'],
  ['report runs/now --history runs/now', 'runs/now: is a run, not a run history'],
  [
    'report runs/now --history runs/now/run.json',
    'runs/now/run.json: cannot be read: a part of its path is a file',
  ],
  ['load --rate 1 --history nowhere', 'nowhere: the folder does not exist'],
  ['trend runs/now', 'runs/now: is a run, not a run history'],
])('%s: one clear error, before anything is run', async (line, message) => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  const argv = line.replace('report ', `report ${cwd}/`).split(' ')
  const { exitCode, stderr } = await runCommandLine(argv, { cwd })
  expect(stderr).toContain(`breakwater: ${message}`)
  expect(exitCode).toBe(2)
})

test('the defaults of trend are those of the report', () => {
  const program = buildProgram(writtenIo().io, () => {})
  const options = program.commands.find((command) => command.name() === 'trend')?.opts()
  const { minEffect, alpha, last, seed } = options ?? {}
  expect({ minEffect, alpha, runsMax: last, seed }).toEqual(TREND_DEFAULTS)
})
