import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reportSchema } from '../../contract/report.ts'
import type { Run } from '../../contract/run.ts'
import { renderRun } from '../render-run.ts'
import {
  makeSyntheticCapacityRun,
  queueTarget,
  type SyntheticTarget,
  type SyntheticTrial,
  scalingTarget,
} from './synthetic-capacity-run.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'breakwater-test-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const FOUND: readonly SyntheticTrial[] = [
  { rate: 100 },
  { rate: 200 },
  { rate: 800, ended: 'aborted', reason: 'p95 of all requests cannot be met any more' },
  { rate: 380 },
  { rate: 400 },
  { rate: 380, phase: 'confirmation', seconds: 20 },
]

test('shows the result and its limit first, and is reproducible', async () => {
  await makeRun()
  const report = await renderRun({ dir, nowMs: 0 })
  expect(report).toMatchObject({ verdict: 'pass', exitCode: 0, notes: [] })
  expect(report.capacity).toMatchObject({
    rate: 380,
    requestsPerSecond: 380,
    confirmed: true,
    limitedBy: 'slo',
    highestPassingRate: 380,
    lowestFailingRate: 400,
    mix: 'reads',
  })
  expect(report.capacity?.trials.map(({ outcome }) => outcome)).toEqual([
    'pass',
    'pass',
    'fail',
    'pass',
    'fail',
    'pass',
  ])
  expect(reportSchema.parse(JSON.parse(await read('report.json')))).toEqual(report)
  expect(await renderRun({ dir, nowMs: 0 })).toEqual(report)
})

test('takes latencies and objectives from the confirmation, requests from the whole run', async () => {
  await makeRun()
  const { latency, slo, generator, capacity } = await renderRun({ dir })
  const confirmation = 380 * 20
  expect(latency.groups[0]).toMatchObject({ routeGroup: '*', count: confirmation })
  expect(slo?.objectives.map(({ samples, verdict }) => [samples, verdict])).toEqual(
    Array.from({ length: 4 }, () => [confirmation, 'pass']),
  )
  // With a second of warm-up each; the target serves at most 400/s.
  const requests = (100 + 200 + 400 + 380 + 400) * 6 + 380 * 21
  expect([generator.requests, capacity?.budget.requestsUsed]).toEqual([requests, requests])
})

test('of requests in the judged seconds of a trial alone', async () => {
  await makeRun({ trials: [{ rate: 100, warmUpSeconds: 7, seconds: 3 }] })
  expect((await renderRun({ dir })).capacity?.trials[0]).toMatchObject({
    requests: 300,
    seconds: 3,
    throughput: 100,
  })
})

test('judges other objectives by the same trials, and notes those of the search', async () => {
  await makeRun()
  const slo = { name: 'quicker', objectives: [{ routeGroup: '*', quantile: 0.95, latencyMsMax: 20 }] }
  const { capacity, notes, verdict } = await renderRun({ dir, slo })
  expect(capacity).toMatchObject({
    rate: null,
    highestPassingRate: 200,
    lowestFailingRate: 380,
    limitedBy: 'budget',
  })
  expect(verdict).toBe('inconclusive')
  expect(notes).toContain(
    'Judged by the objectives "quicker". The search itself used "synthetic", so it may have tried no load near the limit of these.',
  )
})

test('a rate with fast errors or rejections is no capacity', async () => {
  const failing: SyntheticTarget = ({ rate }) => ({
    requests: rate,
    meanMs: 1,
    ...(rate > 150 ? { rateLimited: Math.floor(rate / 2) } : {}),
    ...(rate > 350 ? { failed: Math.floor(rate / 4) } : {}),
  })
  await makeRun({ target: failing, trials: [{ rate: 100 }, { rate: 200 }, { rate: 400 }] })
  const { capacity } = await renderRun({ dir })
  expect(capacity?.trials.map(({ outcome, rateLimited }) => [outcome, rateLimited])).toEqual([
    ['pass', 0],
    ['fail', 500],
    ['fail', 1000],
  ])
  expect(capacity?.trials[2]?.errorRate).toBeCloseTo(0.25, 2)
  expect(capacity?.trials[1]?.reason).toMatch(/^429s of all requests at most 1 %: 50 % of 1000 requests/)
})

test('fails if the lowest rate misses', async () => {
  await makeRun({ target: queueTarget(40), trials: [{ rate: 50 }, { rate: 50 }, { rate: 50 }] })
  const report = await renderRun({ dir })
  expect(report).toMatchObject({
    verdict: 'fail',
    exitCode: 1,
    capacity: { rate: null, highestPassingRate: null },
  })
})

test('a saturated load generator gives no capacity', async () => {
  const busy = { cpuCores: 3.9, cpuCoresMax: 4, machineBusy: 0.99, runQueueCores: 2 }
  const rest = {
    throttledShare: null,
    openFilesMax: 9,
    openFilesLimit: 99,
    portsUsedMax: 9,
    portsMax: 99,
    residentMbMax: 90,
  }
  const generator = { ...busy, ...rest }
  const target: SyntheticTarget = ({ rate }) =>
    rate < 300 ? { requests: rate, meanMs: 2 } : { requests: 250, meanMs: 200, generatorLagMs: 400 }
  const beyond = { rate: 400, generator, vusMax: 1000 }
  await makeRun({ target, trials: [{ rate: 200 }, { rate: 200 }, beyond, beyond, beyond] })
  const report = await renderRun({ dir })
  expect(report).toMatchObject({ verdict: 'inconclusive', exitCode: 0 })
  expect(report.capacity).toMatchObject({ rate: null, limitedBy: 'generator', highestPassingRate: 200 })
  expect(report.capacity?.statement).toMatch(
    /^generator-limited, at least 200 iterations\/s; at 400: k6 kept 3.9 /,
  )
})

test('draws and describes the fit over the steady trials', async () => {
  const law = { lambda: 60, sigma: 0.04, kappa: 0.002 }
  const rates = [30, 60, 110, 160, 220, 280, 340, 400]
  await makeRun({ target: scalingTarget(law), trials: rates.map((rate) => ({ rate, seconds: 20 })) })
  const { capacity } = await renderRun({ dir })
  expect(capacity?.scalability?.points.length).toBe(8)
  expect(capacity?.scalability?.relativeError).toBeLessThan(0.05)
  expect(Math.abs((capacity?.scalability?.lambda ?? 0) / law.lambda - 1)).toBeLessThan(0.1)
  expect(await read('report.html')).toContain('id="scalability-chart"')
  expect(await read('summary.md')).toContain('Universal Scalability Law, fitted to 8 trials')
})

test('reports a killed search up to its end', async () => {
  await makeRun({ run: { state: 'running', finishedAt: null }, trials: FOUND.slice(0, 3) })
  await appendFile(path.join(dir, 'trials.ndjson'), '{"trial":4,"pha')
  const size = (await read('series.ndjson')).length
  await truncate(path.join(dir, 'series.ndjson'), size - 200)
  const { verdict, exitCode, capacity, notes } = await renderRun({ dir })
  expect([verdict, exitCode, capacity?.limitedBy, capacity?.trials.length]).toEqual([
    'interrupted',
    130,
    'interrupted',
    3,
  ])
  expect(notes).toContain('trials.ndjson breaks off in the middle of line 4: that trial was not read.')
})

test('a killed search keeps its trials, because their samples are written first', async () => {
  await makeRun({ run: { state: 'running', finishedAt: null }, trials: [{ rate: 100 }, { rate: 200 }] })
  const lines = (await read('series.ndjson')).trimEnd().split('\n')
  await truncate(path.join(dir, 'series.ndjson'), lines.slice(0, -1).join('\n').length + 1)
  const { capacity } = await renderRun({ dir })
  expect(capacity?.trials.map(({ outcome }) => outcome)).toEqual(['pass', 'pass'])
})

test('a trial with missing samples never passes', async () => {
  await makeRun({ trials: [{ rate: 100 }, { rate: 200 }] })
  const lines = (await read('series.ndjson')).split('\n')
  const bytes = lines.slice(0, -12).join('\n').length
  await truncate(path.join(dir, 'series.ndjson'), bytes)
  const { capacity } = await renderRun({ dir })
  expect(capacity?.trials.map(({ outcome }) => outcome)).toEqual(['pass', 'inconclusive'])
})

test('reports a search without trials', async () => {
  await makeRun({ trials: [] })
  const { verdict, exitCode, capacity } = await renderRun({ dir })
  expect([verdict, exitCode]).toEqual(['inconclusive', 3])
  expect(capacity?.statement).toBe('no result: no trial was run before the budget of the search was used up')
})

test('judges a held load by its own objectives', async () => {
  await makeRun({ run: { job: 'load', search: null }, trials: [{ rate: 100, phase: 'stage', seconds: 30 }] })
  expect(await renderRun({ dir })).toMatchObject({ job: 'load', verdict: 'pass', exitCode: 0 })
  const slo = { name: 'quicker', objectives: [{ routeGroup: '*', quantile: 0.95, latencyMsMax: 1 }] }
  const missed = await renderRun({ dir, slo })
  expect([missed.verdict, missed.exitCode, missed.slo?.objectives[0]?.verdict]).toEqual(['fail', 1, 'fail'])
})

const STAGE: SyntheticTrial = { rate: 100, phase: 'stage', seconds: 30 }
const LOAD = { rate: 100, warmUpSeconds: 1, seconds: 30 }

test('a load too short for its percentile is inconclusive, and no error: its other objectives were judged', async () => {
  const run = { job: 'load', search: null, load: { ...LOAD, seconds: 1 } }
  await makeRun({ run, trials: [{ ...STAGE, seconds: 1 }] })
  const { verdict, exitCode, notes } = await renderRun({ dir })
  expect([verdict, exitCode]).toEqual(['inconclusive', 0])
  expect(notes).toEqual(['It was not shown that the target serves the load.'])
  await truncate(path.join(dir, 'series.ndjson'), (await read('series.ndjson')).length - 200)
  expect((await renderRun({ dir })).exitCode).toBe(3)
})

test.each([
  { damage: 'emptied', break: (file: string) => writeFile(file, '') },
  { damage: 'cut', break: (file: string) => truncate(file, 40) },
  { damage: 'removed', break: (file: string) => rm(file) },
])('a finished load whose trials.ndjson is $damage is inconclusive, and says so', async (given) => {
  await makeRun({ run: { job: 'load', search: null, load: LOAD }, trials: [STAGE] })
  expect((await renderRun({ dir })).verdict).toBe('pass')
  await given.break(path.join(dir, 'trials.ndjson'))
  const report = await renderRun({ dir })
  expect(report).toMatchObject({ verdict: 'inconclusive', exitCode: 3 })
  expect(report.notes).toContain('trials.ndjson has no trial of this load: the file is damaged or missing.')
  expect(report.slo?.objectives.every(({ samples }) => samples === 0)).toBe(true)
  expect(report.capacity?.statement).toBe('no result: the trial of the load is missing')
})

test('notes trials that are missing between others', async () => {
  await makeRun()
  const file = path.join(dir, 'trials.ndjson')
  const lines = (await read('trials.ndjson')).split('\n')
  await writeFile(file, [...lines.slice(1, 3), ...lines.slice(4)].join('\n'))
  expect((await renderRun({ dir })).notes).toContain(
    'trials.ndjson has no trial 1, 4: the result is that of the other trials.',
  )
})

test('escapes hostile names in every format', async () => {
  const rendered = async (name: string) => {
    await makeRun({
      trials: [{ rate: 100 }, { rate: 800, ended: 'crashed', reason: name }],
      run: {
        mix: name,
        command: `breakwater '${name.replaceAll("'", "'\\''")}'`,
        target: { name, baseUrl: name, wsUrl: name, control: false },
        slo: { name, objectives: [{ routeGroup: name, quantile: 0.5, latencyMsMax: 1 }] },
      },
    })
    await renderRun({ dir, nowMs: 0 })
    const texts = await Promise.all(['report.html', 'junit.xml'].map(read))
    return texts.map((text) => text.split('<').length)
  }
  const harmless = await rendered('harmless')
  const hostile = [
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    ']]>',
    '<!--',
    '\u202e',
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...hostile), async (name) => {
      expect(await rendered(name)).toEqual(harmless)
    }),
    { seed: 1, numRuns: 10 },
  )
})

async function makeRun(
  options: { target?: SyntheticTarget; trials?: readonly SyntheticTrial[]; run?: Partial<Run> } = {},
) {
  const { target = queueTarget(400), trials = FOUND, run = {} } = options
  await makeSyntheticCapacityRun({ dir, seed: 1, target, trials, run })
}

function read(name: string): Promise<string> {
  return readFile(path.join(dir, name), 'utf8')
}
