import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TrialFacts } from '../../contract/capacity.ts'
import { RUN_FILES, type Run } from '../../contract/run.ts'
import { LOAD_START } from '../../contract/scenario-config.ts'
import { readSeries } from '../series/read-series.ts'
import { computeQuantile, createHistogram, mergeInto } from '../statistics/histogram.ts'
import { makeSyntheticRun, SYNTHETIC_START, type SyntheticSeries } from '../synthetic-run.ts'
import { type RunSummary, readRunSummary, runRemarks } from './read-run-summary.ts'

const SERIES: SyntheticSeries[] = [
  { metric: 'http_req_duration', type: 'trend', tags: { name: 'GET /a', route_group: 'g' } },
  { metric: 'http_req_failed', type: 'rate', tags: { name: 'GET /a', route_group: 'g' } },
  { metric: 'http_req_duration', type: 'trend', tags: { name: 'POST /clock', route_group: 'control-api' } },
]
const LOAD = { load: { rate: 10, warmUpSeconds: 3, seconds: 12 } }

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('a run without a held load is judged as a whole; what goes to the control API is left out', async () => {
  await make({ seconds: 20 })
  const summary = await readRunSummary(dir)
  expect([summary.seconds, ...countRequests(summary)]).toEqual([20, ['g\nGET /a', 200]])
})

test('a held load leaves out its warm-up, from the first second', async () => {
  await make({ seconds: 20, run: LOAD })
  const summary = await readRunSummary(dir)
  expect([summary.seconds, ...countRequests(summary)]).toEqual([12, ['g\nGET /a', 120]])
  expect(summary.spans).toHaveLength(12)
})

test('starts when the last load generator started, if k6 reported it', async () => {
  await make({ seconds: 16, run: LOAD })
  const starts = [1100, 2500].map((ms) => loadStart(SYNTHETIC_START * 1000 + ms))
  await insertLines(8, ...starts)
  const { seconds, spans } = await readRunSummary(dir)
  // 2.5 s and 3 s of warm-up: whole seconds from the seventh on, of which ten were measured.
  expect([seconds, spans.length]).toEqual([12, 10])
})

test('the judged part that a held load noted as its trial is taken as it is', async () => {
  await make({ seconds: 20, run: LOAD })
  await writeTrial({ judgedFrom: SYNTHETIC_START + 5, judgedTo: SYNTHETIC_START + 9 })
  expect(countRequests(await readRunSummary(dir))).toEqual([['g\nGET /a', 40]])
  await writeTrial({ judgedFrom: null, judgedTo: null })
  expect(countRequests(await readRunSummary(dir))).toEqual([['g\nGET /a', 120]])
})

test('seconds without any sample count as judged, but not those after the run was stopped', async () => {
  await make({ seconds: 8, run: LOAD })
  expect((await readRunSummary(dir)).seconds).toBe(12)
  const file = path.join(dir, RUN_FILES.series)
  const text = await readFile(file, 'utf8')
  await truncate(file, text.lastIndexOf('{"type":"end"'))
  const { seconds, notes } = await readRunSummary(dir)
  expect([seconds, notes]).toEqual([
    5,
    [
      expect.stringContaining('was stopped before it finished its series'),
      'trials.ndjson has no trial of this load: the file is damaged or missing.',
    ],
  ])
})

test('a damaged series is read up to the damage, and says so', async () => {
  await make({ seconds: 6 })
  await insertLines(7, 'damage')
  const summary = await readRunSummary(dir)
  expect(countRequests(summary)).toEqual([['g\nGET /a', 20]])
  expect(summary.notes[0]).toBe(
    'series.ndjson is damaged at line 8: that line and all after it were not read.',
  )
})

test('what k6 measured before it was killed in its one trial is read, and judged from its start', async () => {
  await make({ seconds: 20, run: LOAD })
  const file = path.join(dir, RUN_FILES.series)
  const text = await readFile(file, 'utf8')
  await mkdir(path.join(dir, 'trials', '1'), { recursive: true })
  await writeFile(
    path.join(dir, 'trials', '1', 'series-1.ndjson'),
    text.slice(0, text.lastIndexOf('{"type":"end"')),
  )
  await writeFile(file, text.slice(0, text.indexOf('\n') + 1))
  const summary = await readRunSummary(dir)
  expect([summary.seconds, ...countRequests(summary)]).toEqual([12, ['g\nGET /a', 120]])
  expect(summary.notes).toContain(
    'Trial 1 did not come to its end: what it measured was read from the folder trials.',
  )
})

test('ignores heartbeats of load generators', async () => {
  await make({ seconds: 6 })
  const beat = { time: SYNTHETIC_START + 2, metric: 'iterations', type: 'counter', contains: 'default' }
  await insertLines(
    8,
    JSON.stringify({ ...beat, tags: { scenario: 'heartbeat' }, count: 9, sum: 9 }),
    JSON.stringify({ ...beat, tags: { scenario: 'mix-readers' }, count: 2, sum: 2 }),
  )
  const { spans } = await readRunSummary(dir)
  expect(spans.reduce((sum, span) => sum + (span?.iterations ?? 0), 0)).toBe(2)
})

test('a run without series has nothing, and says so', async () => {
  await make({ seconds: 6 })
  await rm(path.join(dir, RUN_FILES.series))
  const { seconds, spans, notes } = await readRunSummary(dir)
  expect({ seconds, spans, notes }).toEqual({
    seconds: 0,
    spans: [],
    notes: ['series.ndjson is missing: nothing is known about latency.'],
  })
})

test('any run has few spans with the figures of the report', async () => {
  await make({ seconds: 1000 })
  const { secondsEach, spans } = await readRunSummary(dir)
  expect([secondsEach, spans.length]).toEqual([4, 250])
  const parts = spans.flatMap((span) => span?.routes.get('g\nGET /a') ?? [])
  expect(parts.map(({ judged }) => judged)).toEqual(Array(250).fill(40))
  const { series } = await readSeries(path.join(dir, RUN_FILES.series))
  const whole = series.routes.get('g\nGET /a')
  const merged = createHistogram()
  for (const { latency } of parts) mergeInto(merged, latency)
  expect(parts.reduce((sum, { failed }) => sum + failed, 0)).toBe(whole?.failed)
  expect([0.01, 0.5, 0.999].map((q) => computeQuantile(merged, q))).toEqual(
    [0.01, 0.5, 0.999].map((q) => computeQuantile(whole?.latency ?? createHistogram(), q)),
  )
})

test('reads only the result of a search, from its report', async () => {
  await make({ seconds: 6, run: { search: SEARCH } })
  expect(await readRunSummary(dir)).toMatchObject({
    capacity: null,
    notes: ['report.json has no result of the search: run "breakwater report" to create it.'],
  })
  await writeFile(path.join(dir, RUN_FILES.reportJson), JSON.stringify({ capacity: { rate: 400, other: 1 } }))
  expect(await readRunSummary(dir)).toMatchObject({ capacity: 400, seconds: 0, spans: [], notes: [] })
})

test('a search is of the objectives that its report was written by, whatever their order', async () => {
  await make({ seconds: 6, run: { search: SEARCH } })
  const objective = { windowSeconds: null, windows: null, verdict: 'pass', samples: 1, reason: null }
  const slow = { ...objective, kind: 'latency', routeGroup: '*', quantile: 0.95, latencyMsMax: 250 }
  const dropped = { ...objective, kind: 'dropped', droppedRateMax: 0.01, observedDroppedRate: 0 }
  for (const objectives of [
    [{ ...slow, observedMs: 20 }, dropped],
    [dropped, { ...slow, observedMs: 30 }],
  ]) {
    const report = { capacity: { rate: 400 }, slo: { name: 'any', objectives } }
    await writeFile(path.join(dir, RUN_FILES.reportJson), JSON.stringify(report))
    expect((await readRunSummary(dir)).objectives).toBe(
      'dropped iterations at most 1 %, p95 of all requests at most 250 ms',
    )
  }
})

test('notes an interrupted load and a saturated generator', async () => {
  await make({ seconds: 20, run: { ...LOAD, state: 'interrupted' } })
  const trials = [{ outcome: 'generator-limited', reason: 'all 5 VUs were at work' }]
  await writeFile(
    path.join(dir, RUN_FILES.reportJson),
    JSON.stringify({ capacity: { rate: null, trials }, slo: null }),
  )
  expect((await readRunSummary(dir)).notes).toEqual([
    'It was interrupted: 12 of 12 s judged.',
    'The load generator saturated, not the target: all 5 VUs were at work.',
  ])
})

test('a folder that is no run folder is a usage error', async () => {
  await expect(readRunSummary(dir)).rejects.toMatchObject({ name: 'BreakwaterError', exitCode: 2 })
})

const SEARCH = {
  secondsMax: 300,
  requestsMax: null,
  relativeWidth: 0.05,
  trialSeconds: 5,
  finalSeconds: 20,
  rateMax: null,
  stages: null,
  rateRequired: null,
}

async function make({ seconds, run = {} }: { seconds: number; run?: Partial<Run> }): Promise<void> {
  await makeSyntheticRun({ dir, seed: 1, seconds, samplesPerSecond: 10, series: SERIES, run })
}

function countRequests({ spans }: RunSummary): [string, number][] {
  const counts = new Map<string, number>()
  for (const span of spans) {
    for (const [key, { latency }] of span?.routes ?? []) {
      counts.set(key, (counts.get(key) ?? 0) + latency.count)
    }
  }
  return [...counts]
}

/** Into the series, behind this many lines. */
async function insertLines(behind: number, ...inserted: string[]): Promise<void> {
  const file = path.join(dir, RUN_FILES.series)
  const lines = (await readFile(file, 'utf8')).split('\n')
  await writeFile(file, [...lines.slice(0, behind), ...inserted, ...lines.slice(behind)].join('\n'))
}

function loadStart(ms: number): string {
  const time = Math.floor(ms / 1000)
  const values = { count: 1, sum: ms, min: ms, max: ms, last: ms }
  return JSON.stringify({ time, metric: LOAD_START, type: 'gauge', contains: 'default', tags: {}, ...values })
}

async function writeTrial(judged: Pick<TrialFacts, 'judgedFrom' | 'judgedTo'>): Promise<void> {
  const facts: TrialFacts = {
    trial: 1,
    phase: 'stage',
    rate: 10,
    rateFrom: null,
    warmUpSeconds: 3,
    seconds: 12,
    ...judged,
    ended: 'completed',
    reason: null,
    instances: 1,
    vusMax: 10,
    generator: {
      cpuCores: null,
      cpuCoresMax: 2,
      machineBusy: null,
      runQueueCores: null,
      throttledShare: null,
      openFilesMax: null,
      openFilesLimit: null,
      portsUsedMax: null,
      portsMax: null,
      residentMbMax: null,
    },
    target: null,
  }
  await writeFile(path.join(dir, RUN_FILES.trials), `${JSON.stringify(facts)}\n`)
}

const PLANNED_LOAD = { rate: 10, warmUpSeconds: 1, seconds: 30 }
const BUSY = { outcome: 'generator-limited', reason: 'all 5 VUs were at work' } as const
const MET = { outcome: 'pass', reason: 'all objectives passed' } as const

test.each([
  {
    what: 'a load that went well',
    run: { state: 'finished', load: PLANNED_LOAD },
    trials: [MET],
    remarks: [],
  },
  {
    what: 'a load that was interrupted',
    run: { state: 'interrupted', load: PLANNED_LOAD },
    trials: [],
    remarks: ['It was interrupted: 5 of 30 s judged.'],
  },
  {
    what: 'a load that was killed',
    run: { state: 'running', load: PLANNED_LOAD },
    trials: [],
    remarks: ['It was killed: 5 of 30 s judged.'],
  },
  { what: 'probes', run: { state: 'failed', load: null }, trials: [], remarks: ['It failed.'] },
  {
    what: 'a load that was not made',
    run: { state: 'finished', load: PLANNED_LOAD },
    trials: [BUSY],
    remarks: ['The load generator saturated, not the target: all 5 VUs were at work.'],
  },
  // A search raises the rate until something saturates.
  { what: 'a search', run: { state: 'finished', load: null }, trials: [MET, BUSY], remarks: [] },
] as const)('$what', ({ run, trials, remarks }) => {
  expect(runRemarks({ run, seconds: 5, trials })).toEqual(remarks)
})
