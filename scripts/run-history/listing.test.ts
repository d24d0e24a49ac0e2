import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRecord } from '../../contract/run-record.ts'
import { makeSteadyRun } from '../../reports/synthetic-run.ts'
import { simulateRecord } from '../../reports/trend/simulated-records.ts'
import { createRandom } from '../../simulator/random.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writeRecord } from './run-records.ts'

const DAY_MS = 86_400_000

function runs(line: string, cwd: string) {
  return runCommandLine(['runs', ...line.split(' ')], { cwd })
}

async function push(cwd: string, record: Partial<RunRecord> & { id: string; daysAgo?: number }) {
  const { daysAgo = 0, ...rest } = record
  const startedAt = new Date(Date.now() - daysAgo * DAY_MS - 60_000).toISOString()
  const random = createRandom(1).stream('runs')
  const simulated = simulateRecord(1, () => random.float(), {
    record: { startedAt, release: null, ...rest },
  })
  await writeRecord(join(cwd, 'history'), simulated)
}

const listFiles = (cwd: string) => readdirSync(join(cwd, 'history')).sort()

test('lists the records of a history, newest first, with rate, p95 and release, and damaged files', async () => {
  const cwd = temporaryFolder()
  await push(cwd, { id: 'older', startedAt: '2026-01-02T03:04:05Z', release: 'v1.4.0', commit: '4be1c2d' })
  await push(cwd, { id: 'newer', startedAt: '2026-01-03T03:04:05Z', commit: '0a1b2c3', world: 'tiny' })
  const none = { count: 0, min: 0, max: 0, zero: 0, buckets: [] }
  const search = { job: 'capacity', rate: null, capacity: 398.1234, latency: none }
  await push(cwd, { id: 'search', startedAt: '2026-01-01T03:04:05Z', ...search })
  writeFileSync(join(cwd, 'history/cut.run.json'), '{"record": 1')
  const { exitCode, stdout, stderr } = await runs('list history', cwd)
  expect(stdout.split('\n')).toEqual([
    'run     job       when (UTC)        target        mix     rate      p95  release',
    'newer   load      2026-01-03 03:04  staging tiny  reads     50  22.8 ms  0a1b2c3',
    'older   load      2026-01-02 03:04  staging       reads     50  22.8 ms  v1.4.0 (4be1c2d)',
    'search  capacity  2026-01-01 03:04  staging       reads  398.1        -  -',
    'damaged  cut.run.json: not JSON',
    '',
  ])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const { runs: listed, damaged } = JSON.parse((await runs('list history --json', cwd)).stdout)
  expect(listed).toMatchObject([
    { file: 'newer.run.json', id: 'newer', job: 'load', rate: 50, commit: '0a1b2c3', release: null },
    { file: 'older.run.json', startedAt: '2026-01-02T03:04:05Z', release: 'v1.4.0', mix: 'reads' },
    { file: 'search.run.json', job: 'capacity', rate: 398.1234, p95: null },
  ])
  expect(listed[0].p95).toBeCloseTo(22.8, 0)
  expect(damaged).toEqual([{ file: 'cut.run.json', problem: 'not JSON' }])
})

test('prunes the records of each group by number and by age', async () => {
  const cwd = temporaryFolder()
  for (const daysAgo of [1, 10, 20, 40]) await push(cwd, { id: `d${daysAgo}`, daysAgo })
  await push(cwd, { id: 'bots', daysAgo: 30, mix: 'bots' })
  expect((await runs('prune history --keep 1 --older-than 15d --dry-run', cwd)).stdout.split('\n')).toEqual([
    'kept      d1.run.json: among the newest 1 of its group',
    'kept      d10.run.json: started 10 days ago',
    'remove    d20.run.json: started 20 days ago',
    'kept      bots.run.json: among the newest 1 of its group',
    'remove    d40.run.json: started 40 days ago',
    '2 would be removed, 3 kept',
    '',
  ])
  expect(listFiles(cwd)).toHaveLength(5)
  expect(JSON.parse((await runs('prune history --keep 2 --json', cwd)).stdout)).toEqual({
    dryRun: false,
    runs: [
      { file: 'd1.run.json', outcome: 'kept', reason: 'among the newest 2 of its group' },
      { file: 'd10.run.json', outcome: 'kept', reason: 'among the newest 2 of its group' },
      { file: 'd20.run.json', outcome: 'removed', reason: 'started 20 days ago' },
      { file: 'bots.run.json', outcome: 'kept', reason: 'among the newest 2 of its group' },
      { file: 'd40.run.json', outcome: 'removed', reason: 'started 40 days ago' },
    ],
  })
  expect(listFiles(cwd)).toEqual(['bots.run.json', 'd1.run.json', 'd10.run.json'])
  expect((await runs('prune history --keep 0', cwd)).stdout).toContain('3 removed, 0 kept')
  expect(listFiles(cwd)).toEqual([])
})

test('never removes damaged records, copies, links, pipes, or foreign files and folders', async () => {
  const cwd = temporaryFolder()
  await push(cwd, { id: 'one' })
  const history = join(cwd, 'history')
  const [file = ''] = listFiles(cwd)
  writeFileSync(join(history, 'cut.run.json'), '{"record": 1')
  execFileSync('cp', [join(history, file), join(history, 'copy.run.json')])
  execFileSync('mv', [join(history, file), join(cwd, file)])
  symlinkSync(join(cwd, file), join(history, file))
  execFileSync('mkfifo', [join(history, 'pipe.run.json')])
  writeFileSync(join(history, 'README.md'), 'notes')
  mkdirSync(join(history, 'mine.run.json'))
  writeFileSync(join(history, 'mine.run.json/thesis.md'), 'years of work')
  const before = listFiles(cwd)
  expect(await runs('prune history --keep 0', cwd)).toMatchObject({
    exitCode: 0,
    stdout: [
      'kept      copy.run.json: damaged: the record in it is of the run one',
      'kept      cut.run.json: damaged: not JSON',
      'kept      one.run.json: damaged: it is a link, and links in a run folder are not followed',
      'kept      pipe.run.json: damaged: it is a pipe or a device, not a file',
      '0 removed, 4 kept',
      '',
    ].join('\n'),
  })
  expect(listFiles(cwd)).toEqual(before)
  expect(readdirSync(cwd)).toContain(file)
})

test('rejects a folder with run folders and records, and removes nothing', async () => {
  const cwd = temporaryFolder()
  await push(cwd, { id: 'one' })
  await makeSteadyRun(cwd, 'history/two', { number: 2 })
  for (const line of ['list history', 'prune history --keep 0']) {
    expect(await runs(line, cwd)).toMatchObject({
      exitCode: 2,
      stderr:
        'breakwater: history: contains both run folders and records of a run history\n  Move the files *.run.json to a folder of their own, such as run-history/.\n',
    })
  }
  expect(listFiles(cwd)).toEqual(['one.run.json', 'two'])
})

const LIST = 'latency.buckets: expected a list of at most 4096 whole numbers'
const SUMS = 'latency: expected rising indexes and counts that add up to `count`'

test.each([
  { buckets: [5, 3, 1, 4], problem: undefined },
  { buckets: 'many', problem: LIST },
  { buckets: [5, 3, 1.5, 4], problem: LIST },
  { buckets: [5, 3, 2 ** 53, 4], problem: LIST },
  { buckets: Array(4098).fill(1), problem: LIST },
  { buckets: [5, 3, 0, 4], problem: SUMS },
  { buckets: [5, 7, 1, 0], problem: SUMS },
  { buckets: [5, 3, 1, 3], problem: SUMS },
  { buckets: [5, 7, 1], problem: SUMS },
  { buckets: [99_999, 7], problem: SUMS },
])('a record with the buckets $buckets: $problem', async ({ buckets, problem }) => {
  const cwd = temporaryFolder()
  await push(cwd, { id: 'one', latency: { count: 7, min: 1, max: 2, zero: 0, buckets: [5, 7] } })
  const file = join(cwd, 'history/one.run.json')
  const record = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...record, latency: { ...record.latency, buckets } }))
  const { damaged } = JSON.parse((await runs('list history --json', cwd)).stdout)
  expect(damaged).toEqual(problem === undefined ? [] : [{ file: 'one.run.json', problem }])
})
