import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRecord } from '../../contract/run-record.ts'
import { makeSteadyRun } from '../../reports/synthetic-run.ts'
import { drawNormal, simulateRecord } from '../../reports/trend/simulated-records.ts'
import { createRandom } from '../../simulator/random.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { writeRecord } from '../run-history/run-records.ts'

const run = (cwd: string, line: string) => runCommandLine(line.split(' '), { cwd })

/** A history of 23 runs, of which the last three are 20 % slower. */
async function makeHistory(cwd: string, { slower = 1.2, record = {} as Partial<RunRecord> } = {}) {
  const random = createRandom(1).stream('runs')
  const float = () => random.float()
  for (let number = 0; number < 23; number++) {
    const factor = (number >= 20 ? slower : 1) * Math.exp(0.01 * drawNormal(float))
    await writeRecord(join(cwd, 'run-history'), simulateRecord(number, float, { factor, record }))
  }
}

test('pushes runs once, in less than 6 kB each', async () => {
  const cwd = temporaryFolder()
  await makeSteadyRun(cwd, 'runs/one', { number: 1 })
  await makeSteadyRun(cwd, 'runs/two', { number: 2 })
  const pushed = await run(cwd, 'runs push runs/one runs/two --release v1.4.0 --commit 4be1c2d')
  expect(pushed).toMatchObject({ exitCode: 0, stdout: 'added  runs.one\nadded  runs.two\n' })
  const file = join(cwd, 'run-history', 'runs.one.run.json')
  const record = JSON.parse(readFileSync(file, 'utf8'))
  expect(record).toMatchObject({
    record: 1,
    job: 'load',
    mix: 'reads',
    rate: 200,
    release: 'v1.4.0',
    commit: '4be1c2d',
  })
  expect(record.latency.count).toBeGreaterThan(0)
  expect(readFileSync(file).length).toBeLessThan(6000)
  const again = await run(cwd, 'runs push runs/two')
  expect(again).toMatchObject({ exitCode: 0, stdout: 'kept   runs.two: the history has it already\n' })
})

test('adds nothing if one of the runs cannot be used', async () => {
  const cwd = temporaryFolder()
  await makeSteadyRun(cwd, 'runs/one', { number: 1 })
  await makeSteadyRun(cwd, 'runs/killed', { number: 2, run: { state: 'running' } })
  expect(await run(cwd, 'runs push runs/one runs/killed')).toMatchObject({
    exitCode: 2,
    stderr:
      'breakwater: runs/killed: the run did not finish: running\n  Only finished runs are comparable.\n',
  })
  expect(existsSync(join(cwd, 'run-history'))).toBe(false)
})

test.each([
  [
    'runs push runs/one --release v1.4.0_rc1'.replace('_', '\u00a0'),
    '--release "v1.4.0\u00a0rc1": expected letters',
  ],
  ['runs push runs/one --commit \u001b[31m1', '--commit "\\u001b[31m1": expected letters'],
  ['runs push runs/one --history runs', 'runs: contains the run cut, so it is no run history'],
  ['runs push runs/two --history runs/one', 'runs/one: is a run, so it is no run history'],
  ['runs push runs/two runs/cut', 'runs/cut: its series or its trials are damaged or incomplete'],
  ['runs push runs/untried', 'runs/untried: its series or its trials are damaged or incomplete'],
  [
    'runs push runs/two runs/one --release v9',
    'run-history: has the run runs.one already, with the release v8',
  ],
  ['runs push runs/none --commit 4be1c2d', 'run-history: has the run runs.none already, without a commit'],
])('%s: one clear error, and nothing is added', async (line, message) => {
  const cwd = temporaryFolder()
  for (const [number, name] of ['one', 'two', 'none', 'cut', 'untried'].entries())
    await makeSteadyRun(cwd, `runs/${name}`, { number })
  await run(cwd, 'runs push runs/one --release v8')
  await run(cwd, 'runs push runs/none')
  truncateSync(join(cwd, 'runs/cut/series.ndjson'), 5000)
  rmSync(join(cwd, 'runs/untried/trials.ndjson'))
  const { exitCode, stdout, stderr } = await run(cwd, line)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain(`breakwater: ${message}`)
  expect(readdirSync(join(cwd, 'run-history'))).toEqual(['runs.none.run.json', 'runs.one.run.json'])
  expect((await run(cwd, 'runs list runs')).exitCode).toBe(0)
})

test('the result is printed although its page cannot be written', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  const { exitCode, stdout, stderr } = await run(cwd, 'trend --html nowhere/trend.html')
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: expect.stringContaining('confirmed: worse') })
  expect(stderr).toContain('Name a file in an existing, writable folder.')
})

test('the defaults mean the same when they are typed as they are shown', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd, { slower: 1.05 })
  const help = (await run(cwd, 'trend --help')).stdout.replace(/\s+/g, ' ')
  const [alpha, minEffect] = ['alpha', 'min-effect'].map(
    (name) => new RegExp(`--${name} <percent> [^(]*\\(default: ([^)]*)\\)`).exec(help)?.[1],
  )
  expect(await run(cwd, `trend --alpha ${alpha} --min-effect ${minEffect}`)).toEqual(await run(cwd, 'trend'))
})

test('a regression exits with 1, names the release, and has a page', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  const { exitCode, stdout, stderr } = await run(cwd, 'trend --html trend.html')
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
  expect(stdout).toMatch(
    /^load of staging, mix reads, arrivals even, 50\/s, .*: 23 runs\n {2}confirmed: worse since v1\.20\.0, run run-0020: /,
  )
  const page = readFileSync(join(cwd, 'trend.html'), 'utf8')
  expect(page).toContain('1 of 1 groups of runs became worse')
  expect(page).toContain('class="change worse"')
  const { verdict, trends } = JSON.parse((await run(cwd, 'trend --json')).stdout)
  expect(verdict).toBe('worse')
  expect(trends[0].changes).toMatchObject([{ at: 20, isConfirmed: true, direction: 'worse' }])
})

test('an improvement exits with 0', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd, { slower: 0.8 })
  expect((await run(cwd, 'trend')).exitCode).toBe(0)
})

test('since a release: only later regressions count', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  expect((await run(cwd, 'trend --since v1.19.0')).exitCode).toBe(1)
  expect((await run(cwd, 'trend --since run-0020')).exitCode).toBe(0)
  expect(await run(cwd, 'trend --since v1.200.0')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--since: no run or release "v1.200.0"'),
  })
})

test('damaged, foreign and linked files are left out, and named if they look like records', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd, { slower: 1 })
  const history = join(cwd, 'run-history')
  writeFileSync(join(history, 'cut.run.json'), '{"record": 1, "id"')
  writeFileSync(join(history, 'bomb.run.json'), '{"record":1,"latency":{"count":1,"buckets":[99999999,1]}}')
  writeFileSync(join(history, 'README.md'), 'notes')
  writeFileSync(join(cwd, 'secret'), 'secret')
  symlinkSync(join(cwd, 'secret'), join(history, 'link.run.json'))
  const { exitCode, stderr, stdout } = await run(cwd, 'trend')
  expect(stderr.split('\n').map((line) => line.slice(0, 40))).toEqual([
    'damaged, left out: bomb.run.json: id: mi',
    'damaged, left out: cut.run.json: not JSO',
    'damaged, left out: link.run.json: it is ',
    '',
  ])
  expect({ exitCode, stdout }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('23 runs\n  no change'),
  })
})

test.each([
  ['trend nowhere', 'nowhere: the folder does not exist'],
  ['trend --job smoke', 'run-history: no run matches: 23 runs in the history'],
  ['trend --last 2', 'Expected'],
  ['trend --alpha 0', 'Expected a percentage above 0'],
])('%s: one clear error', async (line, message) => {
  const cwd = temporaryFolder()
  await makeHistory(cwd)
  const { exitCode, stderr } = await run(cwd, line)
  expect(exitCode).toBe(2)
  expect(stderr).toContain(message)
})

test('control characters of a record do not reach the terminal', async () => {
  const cwd = temporaryFolder()
  await makeHistory(cwd, { record: { target: '\u001b]0;title\u0007' } })
  expect((await run(cwd, 'trend')).stdout).not.toContain('\u001b')
  expect(readdirSync(join(cwd, 'run-history'))).toHaveLength(23)
})
