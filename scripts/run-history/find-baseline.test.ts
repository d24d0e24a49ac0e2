import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Axis } from '../../contract/capacity.ts'
import type { Run } from '../../contract/run.ts'
import { readRun } from '../../reports/run-file.ts'
import { makeSyntheticRun } from '../../reports/synthetic-run.ts'
import { temporaryFolder } from '../../tools/test/temporary-folder.ts'
import { findBaseline } from './find-baseline.ts'

const OURS: Partial<Run> = {
  job: 'load',
  mix: 'reads',
  machine: '2 x Processor',
  load: { rate: 50, warmUpSeconds: 1, seconds: 5 },
}

async function makeRun(cwd: string, name: string, day: number, run: Partial<Run> = {}) {
  const at = `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
  const times = { id: name, startedAt: at, finishedAt: at }
  const dir = join(cwd, 'runs', name)
  await makeSyntheticRun({
    dir,
    seed: 1,
    seconds: 1,
    samplesPerSecond: 1,
    series: [],
    run: { ...OURS, ...times, ...run },
  })
  return dir
}

async function lookUpBaseline(cwd: string, dir: string, baseline = 'runs') {
  return findBaseline({ baseline, run: await readRun(dir), dir, cwd, nowMs: Date.parse('2026-02-01') })
}

test('picks the last good run of the same target, mix, load and machine class, but not the run itself', async () => {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'first', 1)
  const target = {
    name: 'synthetic',
    baseUrl: 'http://127.0.0.1:2',
    wsUrl: 'ws://127.0.0.1:2',
    control: false,
  }
  await makeRun(cwd, 'good', 2, { target })
  await makeRun(cwd, 'other-mix', 3, { mix: 'bots' })
  await makeRun(cwd, 'other-target', 4, { target: { ...target, name: 'other' } })
  await makeRun(cwd, 'other-host', 5, { target: { ...target, baseUrl: 'https://10.0.0.1' } })
  await makeRun(cwd, 'other-machine', 6, { machine: '4 x Processor' })
  await makeRun(cwd, 'other-rate', 7, { load: { rate: 51, warmUpSeconds: 1, seconds: 5 } })
  await makeRun(cwd, 'interrupted', 8, { state: 'interrupted' })
  writeFileSync(join(await makeRun(cwd, 'failed', 9), 'report.json'), JSON.stringify({ verdict: 'fail' }))
  const dir = await makeRun(cwd, 'now', 10)
  expect(await lookUpBaseline(cwd, dir)).toMatchObject({ shown: 'runs/good', run: { id: 'good' } })
})

const SEARCH: NonNullable<Run['search']> = {
  secondsMax: 300,
  requestsMax: null,
  relativeWidth: 0.05,
  trialSeconds: 5,
  finalSeconds: 20,
  rateMax: null,
  stages: null,
  rateRequired: null,
}

const FOUND = { version: 1, verdict: 'pass', capacity: { rate: 400 } }

test('a search without a result is not a baseline', async () => {
  const cwd = temporaryFolder()
  const found = await makeRun(cwd, 'found', 1, { search: SEARCH, load: null })
  writeFileSync(join(found, 'report.json'), JSON.stringify(FOUND))
  const limited = await makeRun(cwd, 'limited', 2, { search: SEARCH, load: null })
  const none = { ...FOUND, verdict: 'inconclusive', capacity: { rate: null } }
  writeFileSync(join(limited, 'report.json'), JSON.stringify(none))
  const dir = await makeRun(cwd, 'now', 10, { search: SEARCH, load: null })
  expect(await lookUpBaseline(cwd, dir)).toMatchObject({ shown: 'runs/found' })
  rmSync(found, { recursive: true })
  await expect(lookUpBaseline(cwd, dir)).rejects.toThrow('no run to compare with: 1 that found no rate')
})

test('a search on another axis is not a baseline of a search', async () => {
  const cwd = temporaryFolder()
  const onAxis = (axis: Axis) => ({ load: null, search: { ...SEARCH, axis } })
  for (const [day, name, run] of [
    [1, 'same', onAxis('slow-readers')],
    [2, 'subscriptions', onAxis('subscriptions')],
    [3, 'rate', { load: null, search: SEARCH }],
  ] as const) {
    const made = await makeRun(cwd, name, day, run)
    writeFileSync(join(made, 'report.json'), JSON.stringify(FOUND))
  }
  const dir = await makeRun(cwd, 'now', 10, onAxis('slow-readers'))
  expect(await lookUpBaseline(cwd, dir)).toMatchObject({ shown: 'runs/same' })
  await expect(lookUpBaseline(cwd, dir, 'runs/rate')).rejects.toThrow(
    'its axis is rate, but the run has slow-readers',
  )
})

test('a search with other objectives is not a baseline of a search', async () => {
  const cwd = temporaryFolder()
  const search = SEARCH
  const by = (latencyMsMax: number) => ({
    search,
    load: null,
    slo: { name: 's', objectives: [{ routeGroup: '*', quantile: 0.95, latencyMsMax }] },
  })
  for (const [day, name, latencyMsMax] of [
    [1, 'same', 100],
    [2, 'lax', 1000],
  ] as const) {
    const made = await makeRun(cwd, name, day, by(latencyMsMax))
    writeFileSync(join(made, 'report.json'), JSON.stringify(FOUND))
  }
  const dir = await makeRun(cwd, 'now', 10, by(100))
  expect(await lookUpBaseline(cwd, dir)).toMatchObject({ shown: 'runs/same' })
  await expect(lookUpBaseline(cwd, dir, 'runs/lax')).rejects.toThrow(
    'its set of objectives is p95 of all requests at most 1000 ms, but the run has p95 of all requests at most 100 ms',
  )
})

test('without a match, counts the runs by their difference', async () => {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'bots', 1, { mix: 'bots' })
  await makeRun(cwd, 'bots-again', 2, { mix: 'bots' })
  await makeRun(cwd, 'killed', 3, { state: 'failed' })
  mkdirSync(join(cwd, 'runs/broken'))
  writeFileSync(join(cwd, 'runs/broken/run.json'), '')
  const dir = await makeRun(cwd, 'now', 10)
  await expect(lookUpBaseline(cwd, dir)).rejects.toMatchObject({
    message: 'runs: no run to compare with: 2 of another mix, 1 failed, 1 damaged',
    exitCode: 3,
  })
  mkdirSync(join(cwd, 'empty'))
  await expect(lookUpBaseline(cwd, dir, 'empty')).rejects.toMatchObject({
    message: 'empty: no run to compare with: the folder has no runs',
  })
})

test('a named run is the baseline, unless it is of another kind', async () => {
  const cwd = temporaryFolder()
  await makeRun(cwd, 'interrupted', 1, { state: 'interrupted' })
  await makeRun(cwd, 'bots', 2, { mix: 'bots', machine: null })
  await makeRun(cwd, 'comparison', 3, { job: 'compare' })
  const dir = await makeRun(cwd, 'now', 10)
  expect(await lookUpBaseline(cwd, dir, 'runs/interrupted')).toMatchObject({ shown: 'runs/interrupted' })
  await expect(lookUpBaseline(cwd, dir, 'runs/bots')).rejects.toMatchObject({
    message:
      'runs/bots: cannot be the baseline: its mix is bots, but the run has reads; its machine is unknown, but the run has 2 x Processor',
    exitCode: 2,
  })
  await expect(lookUpBaseline(cwd, dir, 'runs/comparison')).rejects.toMatchObject({
    message: 'runs/comparison: is a comparison, not a run',
    hint: 'Its runs are in runs/comparison/a and runs/comparison/b.',
  })
})
