import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../contract/run.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { runCommandLine } from '../../tools/test/run-command-line.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'

const DAY_MS = 86_400_000

async function makeRun(cwd: string, folder: string, run: Partial<Run> & { daysAgo?: number } = {}) {
  const { daysAgo = 0, ...rest } = run
  const at = new Date(Date.now() - daysAgo * DAY_MS - 60_000).toISOString()
  const dir = join(cwd, 'runs', folder)
  const times = { id: folder, startedAt: at, finishedAt: at }
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 1,
    samplesPerSecond: 1,
    series: [],
    run: { ...times, ...rest },
  })
  return dir
}

function runs(line: string, cwd: string) {
  return runCommandLine(['runs', ...line.split(' ').filter((word) => word !== '')], { cwd })
}

test('lists runs newest first, with rate and verdict, and damaged folders', async () => {
  const cwd = temporaryFolder()
  const older = await makeRun(cwd, 'older', { daysAgo: 2, job: 'capacity', mix: 'reads' })
  writeFileSync(join(older, 'report.json'), JSON.stringify({ verdict: 'pass', capacity: { rate: 398.1234 } }))
  await makeRun(cwd, 'newer', { job: 'load', load: { rate: 50, warmUpSeconds: 1, seconds: 5 } })
  mkdirSync(join(cwd, 'runs/broken'))
  writeFileSync(join(cwd, 'runs/broken/run.json'), '{"version": 1, "id"')
  mkdirSync(join(cwd, 'runs/mine'))
  const { exitCode, stdout, stderr } = await runs('', cwd)
  expect(stdout.split('\n').map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, 'WHEN'))).toEqual([
    'run    job       when (UTC)        target          mix     rate  verdict',
    'newer  load      WHEN  synthetic tiny  -         50  finished',
    'older  capacity  WHEN  synthetic tiny  reads  398.1  pass',
    expect.stringMatching(/^damaged {2}broken: run\.json: cut short or damaged: not JSON: /),
    '',
  ])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const { runs: listed, damaged } = JSON.parse((await runs('list --json', cwd)).stdout)
  expect(listed).toMatchObject([
    { folder: 'newer', id: 'newer', job: 'load', rate: 50, verdict: 'finished', mix: null },
    { folder: 'older', id: 'older', job: 'capacity', rate: 398.1234, verdict: 'pass', mix: 'reads' },
  ])
  expect(damaged).toMatchObject([{ folder: 'broken' }])
})

test('shows the verdict of a comparison, and none for a damaged report', async () => {
  const cwd = temporaryFolder()
  const comparison = await makeRun(cwd, 'comparison', { job: 'compare' })
  writeFileSync(join(comparison, 'comparison.json'), JSON.stringify({ verdict: 'worse' }))
  writeFileSync(join(comparison, 'report.json'), JSON.stringify({ verdict: 'pass' }))
  writeFileSync(join(await makeRun(cwd, 'damaged', { state: 'failed' }), 'report.json'), '{"verdict": "pa')
  const { stdout } = await runs('', cwd)
  expect(stdout).toMatch(/^comparison +compare .* worse$/m)
  expect(stdout).toMatch(/^damaged +smoke .* failed$/m)
})

test('reports a folder without runs, and rejects a missing folder', async () => {
  const cwd = temporaryFolder()
  expect(await runs('', cwd)).toMatchObject({ exitCode: 0, stdout: 'runs: no readable runs\n' })
  const refused = await runs('nowhere', cwd)
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toBe(
    'breakwater: nowhere: the folder does not exist\n  `breakwater runs` lists the runs in runs/.\n',
  )
})

test('prunes by number and by age, with both limits by both, and lists each run', async () => {
  const cwd = temporaryFolder()
  for (const daysAgo of [1, 10, 20, 40]) await makeRun(cwd, `d${daysAgo}`, { daysAgo })
  const dry = await runs('prune --keep 1 --older-than 15d --dry-run', cwd)
  expect(dry.stdout.split('\n')).toEqual([
    'kept      d1: among the newest 1',
    'kept      d10: ended 10 days ago',
    'remove    d20: ended 20 days ago',
    'remove    d40: ended 40 days ago',
    '2 would be removed, 2 kept',
    '',
  ])
  expect(readdirSync(join(cwd, 'runs'))).toHaveLength(4)
  expect(await runs('prune --keep 1 --older-than 15d', cwd)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(readdirSync(join(cwd, 'runs'))).toEqual(['d1', 'd10'])
  expect(JSON.parse((await runs('prune --keep 1 --json', cwd)).stdout)).toEqual({
    dryRun: false,
    runs: [
      { folder: 'd1', outcome: 'kept', reason: 'among the newest 1' },
      { folder: 'd10', outcome: 'removed', reason: 'ended 10 days ago' },
    ],
  })
  expect((await runs('prune --keep 0', cwd)).stdout).toContain('1 removed, 0 kept')
  expect(readdirSync(join(cwd, 'runs'))).toEqual([])
})

test('never removes other folders, damaged runs, runs with foreign files, or targets of links', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'runs/mine'), { recursive: true })
  writeFileSync(join(cwd, 'runs/mine/thesis.md'), 'years of work')
  mkdirSync(join(cwd, 'runs/broken'))
  writeFileSync(join(cwd, 'runs/broken/run.json'), '{}')
  writeFileSync(join(await makeRun(cwd, 'annotated'), 'notes.md'), 'what I saw')
  const comparison = await makeRun(cwd, 'comparison', { job: 'compare' })
  mkdirSync(join(comparison, 'a/1/deep'), { recursive: true })
  const elsewhere = temporaryFolder()
  await makeRun(elsewhere, 'far')
  symlinkSync(join(elsewhere, 'runs/far'), join(cwd, 'runs/link'))
  const before = readdirSync(join(cwd, 'runs'), { recursive: true }).sort()
  const { stdout, exitCode } = await runs('prune --keep 0', cwd)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('annotated: contains files that no run writes: notes.md\n')
  expect(stdout).toContain('comparison: contains files that no run writes: a/1/deep/\n')
  expect(stdout).toContain('broken: damaged: run.json: ')
  expect(stdout).toContain('mine: not a run folder\n0 removed, 4 kept')
  expect(readdirSync(join(cwd, 'runs'), { recursive: true }).sort()).toEqual(before)
  expect(existsSync(join(elsewhere, 'runs/far/run.json'))).toBe(true)
})

test('keeps a running run, and removes one that was killed long ago', async () => {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'going', { state: 'running', daysAgo: 3 })
  const killed = await makeRun(cwd, 'killed', { state: 'running', daysAgo: 3 })
  const before = (Date.now() - 2 * 3_600_000) / 1000
  for (const name of [...readdirSync(killed), '.']) utimesSync(join(killed, name), before, before)
  const { stdout } = await runs('', cwd)
  expect(stdout).toMatch(/^going .* running$/m)
  expect(stdout).toMatch(/^killed .* killed$/m)
  expect((await runs('prune --keep 0 --older-than 1d', cwd)).stdout).toMatch(/^kept +going: still running$/m)
  expect(readdirSync(join(cwd, 'runs'))).toEqual(['going'])
})

test('a comparison with a running run is running', async () => {
  const cwd = temporaryFolder()
  const dir = await makeRun(cwd, 'comparison', { state: 'running', job: 'compare' })
  mkdirSync(join(dir, 'b/1'), { recursive: true })
  writeFileSync(join(dir, 'b/1/series.ndjson'), '')
  const before = (Date.now() - 2 * 3_600_000) / 1000
  for (const name of ['run.json', 'series.ndjson', 'findings.ndjson', 'b/1', 'b', '.'])
    utimesSync(join(dir, name), before, before)
  expect((await runs('', cwd)).stdout).toMatch(/^comparison .* running$/m)
})

test.each([
  { line: 'prune', says: /^breakwater: runs prune: --keep or --older-than is required\n/ },
  {
    line: 'prune --older-than soon',
    says: /^breakwater: --older-than: invalid value "soon"\n {2}Expected a duration from 0s to 36500d, such as 30d\. /,
  },
  { line: 'prune --older-than 30', says: /Add a unit\. Expected a duration from 0s/ },
  {
    line: 'prune --keep -1',
    says: /--keep: invalid value "-1"\n {2}Expected a whole number from 0/,
  },
  {
    line: 'prune runs/one --keep 0',
    says: /^breakwater: runs\/one: is a run, not a folder of runs\n {2}Name the folder/,
  },
  { line: 'prune runs/one/run.json --keep 0', says: /run\.json: cannot be read: it is a file, not a folder/ },
])('rejects `breakwater runs $line`, and removes nothing', async ({ line, says }) => {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'one')
  const { exitCode, stderr } = await runs(line, cwd)
  expect(stderr).toMatch(says)
  expect(exitCode).toBe(2)
  expect(readdirSync(join(cwd, 'runs'))).toEqual(['one'])
})
