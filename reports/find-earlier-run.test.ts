import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RUN_FILES, type Run } from '../contract/run.ts'
import { findEarlierRun } from './find-earlier-run.ts'
import { sampleReport } from './sample-report.ts'
import { SYNTHETIC_RUN } from './synthetic-run.ts'

const NONE = 'no earlier run of the same job, target, world, choices, mix and arrivals in this folder'
const NOW = { ...SYNTHETIC_RUN, id: 'now', startedAt: '2026-01-10T00:00:00Z' }

let runs: string
beforeEach(async () => {
  runs = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
})
afterEach(() => rm(runs, { recursive: true, force: true }))

async function addRun(folder: string, day: number, run: Partial<Run> = {}, report: unknown = sampleReport()) {
  const dir = path.join(runs, folder)
  await mkdir(dir)
  const startedAt = `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`
  await writeFile(
    path.join(dir, RUN_FILES.run),
    JSON.stringify({ ...SYNTHETIC_RUN, id: folder, startedAt, ...run }),
  )
  if (report !== null) await writeFile(path.join(dir, RUN_FILES.reportJson), JSON.stringify(report))
}

async function foundFolder(run: Run = NOW): Promise<string | undefined> {
  const { found } = await findEarlierRun(path.join(runs, 'now'), run)
  return found?.folder
}

test('finds the last run that began before this one, whatever the folders are called', async () => {
  await addRun('zzz-oldest', 2)
  await addRun('before', 9)
  await addRun('a-little-older', 8)
  await addRun('after', 11)
  await addRun('now', 10)
  expect(await foundFolder()).toBe('before')
  expect(await foundFolder({ ...NOW, startedAt: '2026-01-08T12:00:00Z' })).toBe('a-little-older')
})

test.each<[string, Partial<Run>]>([
  ['job', { job: 'load' }],
  ['target', { target: { ...SYNTHETIC_RUN.target, name: 'another' } }],
  ['world', { world: 'volatile' }],
  ['choices', { choices: 'alternative' }],
  ['profile: its choices differ', { profileChoices: 'a1b2' }],
  ['mix', { mix: 'market' }],
  ['kind of arrivals', { arrivals: 'poisson' }],
  ['case', { repro: { name: 'other', title: '', story: '' } }],
  ['end: it was interrupted', { state: 'interrupted' }],
  ['end: it is still running', { state: 'running' }],
])('skips a run with another %s', async (_what, run) => {
  await addRun('before', 9, run)
  const now = { ...NOW, profileChoices: '0f0f' }
  expect(await findEarlierRun(path.join(runs, 'now'), now)).toEqual({ found: null, reason: NONE })
})

test.each([
  ['the earlier run', {}, { profileChoices: 'a1b2' }],
  ['this run', { profileChoices: 'a1b2' }, {}],
])('compares runs if %s did not record the choices of the profile', async (_who, earlier, now) => {
  await addRun('before', 9, earlier)
  expect(await foundFolder({ ...NOW, ...now })).toBe('before')
})

test('compares a custom scenario only with its own runs', async () => {
  const own = (command: string) => ({ job: 'run', command })
  await addRun('other', 9, own('breakwater run other.k6.ts'))
  await addRun('same', 8, own('breakwater run --seed 2 mine.k6.ts'))
  expect(await foundFolder({ ...NOW, ...own('breakwater run mine.k6.ts --seed 3') })).toBe('same')
})

test('skips damaged folders, links, and runs without a report', async () => {
  await addRun('good', 3)
  await addRun('without-report', 9, {}, null)
  await addRun('strange-report', 8, {}, { verdict: 'splendid' })
  await addRun('damaged', 7)
  await writeFile(path.join(runs, 'damaged', RUN_FILES.run), '{"version":1,')
  await mkdir(path.join(runs, 'folder', RUN_FILES.run), { recursive: true })
  await writeFile(path.join(runs, 'a-file'), '')
  await symlink(path.join(runs, 'good'), path.join(runs, 'link'))
  expect(await foundFolder()).toBe('good')
  await rm(path.join(runs, 'good'), { recursive: true })
  expect(await findEarlierRun(path.join(runs, 'now'), NOW)).toEqual({
    found: null,
    reason: 'none of the 2 earlier runs in this folder has a readable report',
  })
})

test('reads a report of an earlier version', async () => {
  const { verdict, rules, latency } = sampleReport()
  await addRun('before', 9, {}, { version: 1, verdict, rules, latency })
  const { found } = await findEarlierRun(path.join(runs, 'now'), NOW)
  expect(found?.report).toMatchObject({ verdict: 'fail', slo: null, capacity: null })
})

test('a missing folder has no runs', async () => {
  expect(await findEarlierRun(path.join(runs, 'gone', 'now'), NOW)).toEqual({ found: null, reason: NONE })
})
