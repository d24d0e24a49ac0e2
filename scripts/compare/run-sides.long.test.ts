import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { comparisonSchema } from '../../contract/comparison.ts'
import { type Run, runSchema } from '../../contract/run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const FAILING = {
  description: 'The list of pools fails',
  faults: [{ fault: 'http-error', where: { routes: ['GET /explore/pools'] }, status: 500 }],
}
/** Four runs, each with its own stub and k6, on a busy machine. */
const RUNS_MS_MAX = { timeout: 120_000 }
const LOAD = '--rate 20 --duration 2s --warm-up 0s'

function readRun(dir: string): Run {
  return runSchema.parse(JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')))
}

function compare(line: string, cwd: string, interrupted = new AbortController().signal) {
  return runCommandLine(['compare', '--run', ...line.split(' ')], { cwd, interrupted })
}

test(
  'runs both sides in turn, each run into its folder, and finds the route that fails',
  RUNS_MS_MAX,
  async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'failing.json'), JSON.stringify(FAILING))
    const { exitCode, stdout } = await compare(
      `stub stub:./failing.json ${LOAD} --repeat 2 --json --output there`,
      cwd,
    )
    const comparison = comparisonSchema.parse(JSON.parse(stdout))
    const failing = comparison.differences.find(
      ({ name, metric }) => name === 'GET /explore/pools' && metric === 'errorRate',
    )
    expect(failing).toMatchObject({ a: { value: 0 }, b: { value: 1 }, verdict: 'worse' })
    expect(exitCode).toBe(1)
    const there = join(cwd, 'there')
    expect(readRun(there)).toMatchObject({
      job: 'compare',
      state: 'finished',
      target: { name: 'stub, stub:./failing.json' },
      load: { rate: 20, warmUpSeconds: 0, seconds: 2 },
    })
    const folders = ['a/1', 'a/2', 'b/1', 'b/2']
    const runs = folders.map((folder) => ({ folder, run: readRun(join(there, folder)) }))
    const inTurn = runs.sort((one, other) => (one.run.startedAt < other.run.startedAt ? -1 : 1))
    expect(inTurn.map(({ folder }) => folder)).toEqual(['a/1', 'b/1', 'b/2', 'a/2'])
    expect(inTurn.map(({ run }) => run.target.name)).toEqual([
      'stub',
      'stub:./failing.json',
      'stub:./failing.json',
      'stub',
    ])
    for (const folder of folders) expect(readdirSync(join(there, folder))).toContain('report.html')
    const listed = await runCommandLine(['runs', 'there'], { cwd })
    expect(listed.stdout).toMatch(/ compare .* reads +20 {2}worse$/m)
  },
)

test(
  'until sure, adds pairs in the drawn order and stops when the failing route is certain',
  RUNS_MS_MAX,
  async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'failing.json'), JSON.stringify(FAILING))
    const line = `stub stub:./failing.json ${LOAD} --until-sure --max-pairs 5 --output there`
    const { exitCode, stdout, stderr } = await compare(line, cwd)
    expect(stdout).toContain('3 of at most 5 pairs of runs. Stopped because it is sure: B is worse.\n')
    expect(stderr).toContain('at most 10 runs of 2 s: at most about 50 s\n')
    expect(stderr).toContain('run 6 of at most 10: A, stub: ')
    expect(exitCode).toBe(1)
    const json = readFileSync(join(cwd, 'there/comparison.json'), 'utf8')
    expect(comparisonSchema.parse(JSON.parse(json)).untilSure).toMatchObject({
      outcome: 'worse',
      pairs: 3,
      maxPairs: 5,
      orderSeed: 7,
    })
    const folders = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3']
    const runs = folders.map((folder) => ({ folder, run: readRun(join(cwd, 'there', folder)) }))
    const inTurn = runs.sort((one, other) => (one.run.startedAt < other.run.startedAt ? -1 : 1))
    expect(inTurn.map(({ folder }) => folder)).toEqual(['a/1', 'b/1', 'a/2', 'b/2', 'b/3', 'a/3'])
    expect(readRun(join(cwd, 'there'))).toMatchObject({ job: 'compare', state: 'finished' })
  },
)

test('interrupted, reports and saves the completed runs', RUNS_MS_MAX, async () => {
  const cwd = temporaryFolder()
  const abort = new AbortController()
  const ended = compare(`stub stub ${LOAD} --repeat 5 --output there`, cwd, abort.signal)
  await vi.waitFor(() => expect(existsSync(join(cwd, 'there/b/2/run.json'))).toBe(true), RUNS_MS_MAX)
  abort.abort()
  const { exitCode, stdout, stderr } = await ended
  expect(exitCode).toBe(130)
  expect(stderr).toContain('\nrun 3 of 10: B, stub: interrupted, and left out\n')
  expect(stdout).toMatch(/^A {2}stub: 1 run of \d s/)
  expect(stdout).toContain('Comparison: there/comparison.html\n')
  expect(readRun(join(cwd, 'there'))).toMatchObject({ state: 'interrupted' })
  expect(readdirSync(join(cwd, 'there')).sort()).toEqual([
    'a',
    'b',
    'comparison.html',
    'comparison.json',
    'comparison.md',
    'run.json',
  ])
})
