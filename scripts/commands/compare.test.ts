import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { comparisonSchema } from '../../contract/comparison.ts'
import type { Run } from '../../contract/run.ts'
import { makeSteadyRun, STEADY_LOAD } from '../../reports/synthetic-run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

async function makeSide(
  cwd: string,
  name: string,
  options: { from: number; runs?: number; poolsMs?: number; run?: Partial<Run> },
) {
  const { from, runs = 5, ...rest } = options
  for (let number = 1; number <= runs; number++)
    await makeSteadyRun(cwd, join(name, String(number)), { ...rest, number: from + number })
}

function compare(line: string, cwd: string) {
  return runCommandLine(['compare', ...line.split(' ')], { cwd })
}

async function listChanges(line: string, cwd: string) {
  const { exitCode, stdout, stderr } = await compare(`${line} --json`, cwd)
  const comparison = comparisonSchema.parse(JSON.parse(stdout))
  const changes = comparison.differences
    .filter(({ verdict }) => verdict === 'worse' || verdict === 'better')
    .map(({ verdict, name, metric }) => `${verdict} ${name} ${metric}`)
  return { exitCode, stderr, comparison, changes }
}

test('a route that is 15 % slower is worse, in the other order better, and no other route differs', async () => {
  const cwd = temporaryFolder()
  await makeSide(cwd, 'old', { from: 0 })
  await makeSide(cwd, 'new', { from: 10, poolsMs: 23 })
  const worse = await listChanges('old new', cwd)
  const all = ['p50', 'p95', 'p99']
  expect(worse.changes).toEqual(all.map((metric) => `worse GET /pools ${metric}`))
  expect(worse).toMatchObject({ exitCode: 1, stderr: '', comparison: { verdict: 'worse' } })
  const better = await listChanges('new old', cwd)
  expect(better.changes).toEqual(all.map((metric) => `better GET /pools ${metric}`))
  expect(better).toMatchObject({ exitCode: 0, comparison: { verdict: 'better' } })
  // Writes nothing without --output.
  expect(readdirSync(cwd).sort()).toEqual(['new', 'old'])
})

test('two sides of one build do not differ, and --output writes the comparison', async () => {
  const cwd = temporaryFolder()
  await makeSide(cwd, 'old', { from: 0 })
  await makeSide(cwd, 'new', { from: 10 })
  const { exitCode, stdout } = await compare('old new --output there', cwd)
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/\n\nComparison: there\/comparison\.html\n$/)
  expect(readdirSync(join(cwd, 'there')).sort()).toEqual([
    'comparison.html',
    'comparison.json',
    'comparison.md',
  ])
  const written = comparisonSchema.parse(JSON.parse(readFileSync(join(cwd, 'there/comparison.json'), 'utf8')))
  expect(written).toMatchObject({ verdict: 'no significant difference', exitCode: 0 })
})

test('compares a single run per side only with --allow-single-run', async () => {
  const cwd = temporaryFolder()
  await makeSteadyRun(cwd, 'old', { number: 1 })
  await makeSteadyRun(cwd, 'new', { number: 2, poolsMs: 30 })
  expect(await listChanges('old new', cwd)).toMatchObject({
    exitCode: 3,
    changes: [],
    comparison: { verdict: 'not comparable' },
  })
  expect(await listChanges('old new --allow-single-run', cwd)).toMatchObject({
    exitCode: 1,
    comparison: { method: { singleRuns: true } },
  })
})

test.each([
  { what: 'mix', run: { mix: 'bots' } },
  { what: 'rate', run: { load: { ...STEADY_LOAD, rate: 100 } } },
  { what: 'machine class', run: { machine: '64 x Other' } },
])('runs of another $what are not comparable', async ({ run }) => {
  const cwd = temporaryFolder()
  await makeSide(cwd, 'old', { from: 0, runs: 2 })
  await makeSide(cwd, 'new', { from: 10, runs: 2, poolsMs: 30, run })
  expect(await listChanges('old new', cwd)).toMatchObject({ exitCode: 3, changes: [] })
})

test('compares two targets only with --across-targets, or if one comparison ran both', async () => {
  const cwd = temporaryFolder()
  const target = { name: 'other', baseUrl: 'http://127.0.0.1:2', wsUrl: 'ws://127.0.0.1:2', control: false }
  await makeSteadyRun(cwd, 'comparison', { number: 1, run: { job: 'compare' } })
  for (const folder of ['comparison', 'apart']) {
    await makeSide(cwd, `${folder}/a`, { from: 0, runs: 3 })
    await makeSide(cwd, `${folder}/b`, { from: 10, runs: 3, poolsMs: 30, run: { target } })
  }
  expect(await listChanges('apart/a apart/b', cwd)).toMatchObject({ exitCode: 3 })
  expect(await listChanges('apart/a apart/b --across-targets', cwd)).toMatchObject({ exitCode: 1 })
  expect(await listChanges('comparison/a comparison/b', cwd)).toMatchObject({ exitCode: 1 })
})

test('reads a truncated or damaged series up to the damage, and reports it', async () => {
  const cwd = temporaryFolder()
  await makeSide(cwd, 'old', { from: 0, runs: 3 })
  await makeSide(cwd, 'new', { from: 10, runs: 3 })
  const series = readFileSync(join(cwd, 'old/1/series.ndjson'), 'utf8')
  truncateSync(join(cwd, 'old/1/series.ndjson'), series.length - 400)
  const lines = series.split('\n')
  writeFileSync(
    join(cwd, 'new/2/series.ndjson'),
    [...lines.slice(0, 9), '{"time":1,', ...lines.slice(9)].join('\n'),
  )
  writeFileSync(join(cwd, 'new/3/series.ndjson'), '')
  const { comparison } = await listChanges('old new', cwd)
  const notes = comparison.notes.join('\n')
  expect(notes).toContain('old.1: series.ndjson breaks off in the middle of line ')
  expect(notes).toContain(
    'new.2: series.ndjson is damaged at line 10: that line and all after it were not read.',
  )
  expect(notes).toContain('new.3: series.ndjson is empty')
})

test('a baseline is a run, or the last good run of the same kind in a folder', async () => {
  const cwd = temporaryFolder()
  const at = (day: number) => ({ startedAt: `2026-01-0${day}T00:00:00.000Z` })
  await makeSteadyRun(cwd, 'runs/good', { number: 1, run: at(1) })
  await makeSteadyRun(cwd, 'runs/bots', { number: 2, run: { ...at(2), mix: 'bots' } })
  await makeSteadyRun(cwd, 'runs/new', { number: 3, poolsMs: 30, run: at(3) })
  expect(await listChanges('--baseline runs runs/new --allow-single-run', cwd)).toMatchObject({
    exitCode: 1,
    comparison: { a: { label: 'runs/good' }, b: { label: 'runs/new' } },
  })
  const named = await compare('--baseline runs/bots runs/new --allow-single-run', cwd)
  expect(named.exitCode).toBe(2)
  expect(named.stderr).toMatch(
    /^breakwater: runs\/bots: cannot be the baseline: its mix is bots, but the run has reads\n/,
  )
  mkdirSync(join(cwd, 'empty'))
  const none = await compare('--baseline empty runs/new --allow-single-run', cwd)
  expect(none).toMatchObject({ exitCode: 3, stdout: '' })
  expect(none.stderr).toMatch(/^breakwater: empty: no run to compare with: the folder has no runs\n/)
})

const BAD_LINES: readonly { line: string; says: RegExp }[] = [
  {
    line: 'old',
    says: /^breakwater: compare needs two sides: A and B, or --baseline RUN and B\n {2}Each is/,
  },
  { line: 'old new other', says: /^breakwater: compare: unexpected argument "other"/ },
  { line: 'old new --baseline old', says: /^breakwater: compare needs two sides/ },
  { line: 'old nowhere', says: /^breakwater: nowhere: the folder does not exist\n/ },
  { line: 'old empty', says: /^breakwater: empty: no completed run found\n {2}Expected a run folder/ },
  { line: 'old file', says: /^breakwater: file: cannot be read: it is a file, not a folder\n/ },
  {
    line: 'old ./old',
    says: /^breakwater: old: A and B are the same folder\n {2}A run does not differ from itself/,
  },
  {
    line: '. new',
    says: /^breakwater: new: contains the run new, and so does new: it would count twice\n {2}Name each run once/,
  },
  { line: '--baseline old old --allow-single-run', says: /^breakwater: old: A and B are the same folder\n/ },
  {
    line: 'old new --rate 5',
    says: /^breakwater: compare: --rate needs --run/,
  },
  {
    line: 'old new --repeat 5 --mix reads --duration 1s --warm-up 1s --arrivals even --max-vus 5',
    says: /^breakwater: compare: --repeat, --duration, --warm-up, --mix, --arrivals, --max-vus need --run\n {2}With --run/,
  },
  {
    line: 'old new --instances 1 --world tiny --seed 7 --choices default --confirm host',
    says: /^breakwater: compare: --instances, --confirm, --world, --seed, --choices need --run\n/,
  },
  { line: 'old new --run', says: /^breakwater: compare --run: --rate is required\n/ },
  { line: 'stub --run --rate 5', says: /^breakwater: compare --run needs two targets, A and B\n {2}Each is/ },
  {
    line: 'stub stub --run --rate 0',
    says: /--rate: invalid value "0"\n {2}Expected a rate from 0\.01 to 1000000\./,
  },
  { line: 'stub stub --run --rate 5 --repeat 0', says: /Expected a whole number from 1 to 100\./ },
  {
    line: 'stub stub:nowhere --run --rate 5',
    says: /^breakwater: unknown fault plan "nowhere"\n {2}Did you mean /,
  },
  {
    line: 'stub: stub --run --rate 5',
    says: /^breakwater: stub:: expected a fault plan\n {2}For example stub:base/,
  },
  {
    line: 'stub nowhere.json --run --rate 5',
    says: /^breakwater: nowhere\.json: cannot be read: there is no/,
  },
  { line: 'stub stub --run --rate 5 --mix nowhere', says: /^breakwater: unknown mix "nowhere"\n/ },
  {
    line: 'old new --until-sure',
    says: /^breakwater: compare: --until-sure needs --run\n {2}Existing runs cannot be repeated\./,
  },
  {
    line: '--baseline old new --until-sure',
    says: /^breakwater: compare: --until-sure needs --run\n/,
  },
  {
    line: 'stub stub --run --rate 5 --max-pairs 9',
    says: /^breakwater: compare: --max-pairs needs --until-sure\n {2}Use --repeat/,
  },
  {
    line: 'stub stub --run --rate 5 --until-sure --max-pairs 2',
    says: /--max-pairs: invalid value "2"\n {2}Expected a whole number from 3 to 100\./,
  },
  {
    line: 'stub stub --run --rate 5 --until-sure --repeat 5',
    says: /--until-sure cannot be used with --repeat/,
  },
  {
    line: 'stub stub --run --rate 5 --until-sure --allow-single-run',
    says: /--until-sure cannot be used with --allow-single-run/,
  },
  { line: 'stub stub --run --until-sure', says: /^breakwater: compare --run: --rate is required\n/ },
  { line: 'stub stub --run --baseline old', says: /--run cannot be used with --baseline/ },
]

test.each(BAD_LINES)('rejects `breakwater compare $line`, and leaves nothing', async ({ line, says }) => {
  const cwd = temporaryFolder()
  await makeSteadyRun(cwd, 'old', { number: 1 })
  await makeSteadyRun(cwd, 'new', { number: 2 })
  mkdirSync(join(cwd, 'empty'))
  appendFileSync(join(cwd, 'file'), 'text')
  const { exitCode, stdout, stderr } = await compare(line, cwd)
  expect(stderr).toMatch(says)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(readdirSync(cwd).sort()).toEqual(['empty', 'file', 'new', 'old'])
})

test.each(['dupA dupB', 'dupA/1 dupA/2 --allow-single-run'])(
  'rejects copies of a run, because they are not independent: compare %s',
  async (line) => {
    const cwd = temporaryFolder()
    const original = await makeSteadyRun(cwd, 'a1', { number: 1 })
    const other = await makeSteadyRun(cwd, 'a2', { number: 2 })
    for (const copy of ['1', '2']) {
      cpSync(original, join(cwd, 'dupA', copy), { recursive: true })
      cpSync(other, join(cwd, 'dupB', copy), { recursive: true })
    }
    const { exitCode, stdout, stderr } = await compare(line, cwd)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^breakwater: dupA\/[12]: contains the run a1, and so does dupA\/[12]: it would count twice\n {2}Name each run once\.\n/,
    )
  },
)
