import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { renderRun } from '../render-run.ts'
import { makeSyntheticCapacityRun, queueTarget, type SyntheticTrial } from './synthetic-capacity-run.ts'
import { readTrials } from './trials.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
  file = path.join(dir, 'trials.ndjson')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const makeRun = () =>
  makeSyntheticCapacityRun({
    dir,
    seed: 1,
    target: queueTarget(400),
    trials: [{ rate: 100 }, { rate: 200 }, { rate: 440, ended: 'aborted', reason: 'p95 of all requests' }],
  })

test('reads what was written', async () => {
  const trials = await makeRun()
  expect(await readTrials(file)).toEqual({ trials, found: true, complete: true, notes: [] })
})

test('leaves throttling unknown for runs of an earlier version', async () => {
  const trials = await makeRun()
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll('"throttledShare":null,', ''))
  expect(await readFile(file, 'utf8')).not.toBe(text)
  expect((await readTrials(file)).trials).toEqual(trials)
})

test('a run without the file has no trials', async () => {
  expect(await readTrials(file)).toEqual({ trials: [], found: false, complete: false, notes: [] })
})

test.each([
  {
    what: 'text',
    damage: 'damage\n',
    note: 'trials.ndjson is damaged at line 4: that trial and all after it were not read.',
  },
  {
    what: 'a trial without a rate',
    damage: '{"trial":4}\n',
    note: 'trials.ndjson is damaged at line 4: that trial and all after it were not read.',
  },
  {
    what: 'a line cut in the middle',
    damage: '{"trial":4,"ph',
    note: 'trials.ndjson breaks off in the middle of line 4: that trial was not read.',
  },
])('reads up to $what, and says so', async ({ damage, note }) => {
  const trials = await makeRun()
  await appendFile(file, damage)
  expect(await readTrials(file)).toEqual({ trials, found: true, complete: false, notes: [note] })
})

test.each([1, 3])('trial %i a second time is damage: their samples cannot be separated', async (again) => {
  await makeRun()
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  await appendFile(file, `${lines[again - 1]}\n`)
  const { trials, notes } = await readTrials(file)
  expect(trials.map(({ trial }) => trial)).toEqual([1, 2, 3])
  expect(notes).toEqual([
    `trials.ndjson has trial ${again} out of order at line 4: that trial and all after it were not read.`,
  ])
})

const SATURATED = {
  cpuCores: 3.9,
  cpuCoresMax: 4,
  machineBusy: 0.99,
  runQueueCores: 2,
  throttledShare: null,
  openFilesMax: 9,
  openFilesLimit: 99,
  portsUsedMax: 9,
  portsMax: 99,
  residentMbMax: 90,
}
const MISSED: SyntheticTrial = { rate: 250, phase: 'stage', seconds: 30, vusMax: 1000 }
const LIMITED: SyntheticTrial = { ...MISSED, generator: SATURATED }
const SEARCHED: SyntheticTrial = { ...LIMITED, phase: 'search' }

test.each<{ what: string; trials: SyntheticTrial[]; job: 'load' | 'capacity'; verdict: string }>([
  { what: 'a load', job: 'load', trials: [LIMITED], verdict: 'inconclusive' },
  { what: 'stages', job: 'capacity', trials: [LIMITED, LIMITED], verdict: 'inconclusive' },
  { what: 'a search', job: 'capacity', trials: [SEARCHED, SEARCHED], verdict: 'inconclusive' },
  { what: 'a load of a calm load generator', job: 'load', trials: [MISSED], verdict: 'fail' },
  {
    what: 'stages, one of a calm load generator',
    job: 'capacity',
    trials: [LIMITED, MISSED],
    verdict: 'fail',
  },
])('an objective that $what missed is: $verdict', async ({ trials, job, verdict }) => {
  await makeSyntheticCapacityRun({
    ...{ dir, seed: 1, trials },
    target: () => ({ requests: 250, meanMs: 200 }),
    run: { job, ...(trials[0]?.phase === 'stage' && { search: null }) },
  })
  const report = await renderRun({ dir, nowMs: 0 })
  const reason =
    'k6 kept 3.9 of its 4 available cores busy, the machine was 99 % busy, and the target runs on it too'
  expect([report.verdict, report.exitCode]).toEqual([verdict, verdict === 'fail' ? 1 : 0])
  expect(
    report.slo?.objectives.map((objective) => [objective.kind, objective.verdict, objective.reason]),
  ).toEqual([
    ['latency', verdict, verdict === 'fail' ? null : reason],
    ...['errors', 'rate-limited', 'dropped'].map((kind) => [kind, 'pass', null]),
  ])
  const isFailure = verdict === 'fail'
  expect((await readFile(path.join(dir, 'junit.xml'), 'utf8')).includes('<failure')).toBe(isFailure)
  expect((await readFile(path.join(dir, 'report.html'), 'utf8')).includes('class="failures"')).toBe(isFailure)
})
