import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import path, { join } from 'node:path'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { TrialFacts } from '../contract/capacity.ts'
import type { Finding } from '../contract/finding.ts'
import { RUN_FILES, type Run } from '../contract/run.ts'
import type { Bucket, SeriesHeader, SeriesPoint } from '../contract/series.ts'

export type SyntheticSeries = Pick<SeriesPoint, 'metric' | 'type' | 'tags'>

/**
 * Writes a run folder for tests and benchmarks; the same options give the same bytes. Each trend gets
 * `samplesPerSecond` heavy-tailed samples around 10 ms, most of them below 100 ms.
 */
export async function makeSyntheticRun(options: {
  dir: string
  seed: number
  seconds: number
  samplesPerSecond: number
  series: readonly SyntheticSeries[]
  run?: Partial<Run>
  findings?: readonly Finding[]
}): Promise<void> {
  const { dir, findings = [] } = options
  await mkdir(dir, { recursive: true })
  await writeFile(path.join(dir, RUN_FILES.run), JSON.stringify({ ...SYNTHETIC_RUN, ...options.run }))
  await writeFile(
    path.join(dir, RUN_FILES.findings),
    findings.map((finding) => `${JSON.stringify(finding)}\n`).join(''),
  )
  await writeSeries(options)
}

export const SYNTHETIC_START = Date.parse('2026-01-02T03:04:05Z') / 1000

export const SYNTHETIC_RUN: Run = {
  version: 1,
  id: 'synthetic',
  job: 'smoke',
  state: 'finished',
  startedAt: '2026-01-02T03:04:05Z',
  finishedAt: '2026-01-02T04:04:05Z',
  target: { name: 'synthetic', baseUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1', control: false },
  world: 'tiny',
  seed: 7,
  choices: 'default',
  mutant: null,
  strict: false,
  minJudged: null,
  sloSkipped: null,
  versions: { breakwater: '0.1.0', node: 'v20.0.0', k6: '2.2.0' },
  command: 'breakwater smoke --seed 7',
  rules: [],
  customRules: {},
  waivers: [],
  repro: null,
  mix: null,
  arrivals: null,
  load: null,
  machine: null,
  instances: 1,
  mergedFrom: [],
  notes: [],
  search: null,
  slo: null,
  k6: { exitCode: 0, reason: 'finished', meaning: 'ended well' },
}

async function writeSeries(options: Parameters<typeof makeSyntheticRun>[0]): Promise<void> {
  const generator = xoroshiro128plus(options.seed)
  const random = () => uniformFloat64(generator)
  const file = await open(path.join(options.dir, RUN_FILES.series), 'w')
  try {
    const header: SeriesHeader = {
      type: 'header',
      format: 1,
      k6: '2.2.0',
      start: '2026-01-02T03:04:05.000Z',
      scale: 7,
    }
    await file.write(`${JSON.stringify(header)}\n`)
    for (let second = 0; second < options.seconds; second += 1) {
      const points = options.series.map((series) =>
        makePoint(series, SYNTHETIC_START + second, options.samplesPerSecond, random),
      )
      await file.write(points.map((point) => `${JSON.stringify(point)}\n`).join(''))
    }
    await file.write(`${JSON.stringify({ type: 'end', time: '2026-01-02T04:04:05.000Z', samples: 0 })}\n`)
  } finally {
    await file.close()
  }
}

function makePoint(
  { metric, type, tags }: SyntheticSeries,
  time: number,
  count: number,
  random: () => number,
): SeriesPoint {
  const common = { time, metric, type, contains: 'default', tags, count }
  if (type !== 'trend') return { ...common, sum: type === 'rate' && random() < 0.05 ? 1 : 0 }
  const samples = Array.from({ length: count }, () => heavyTailed(random))
  return {
    ...common,
    sum: samples.reduce((sum, sample) => sum + sample, 0),
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: 0,
    buckets: bucketSamples(samples),
  }
}

/** Log-normal by the Box–Muller transform (1958), median 10 ms. */
function heavyTailed(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return 10 * Math.exp(0.8 * normal)
}

/** Bucket i counts (base^i, base^(i+1)]. */
export function bucketSamples(samples: readonly number[]): Bucket[] {
  const counts = new Map<number, number>()
  for (const sample of samples) {
    const index = Math.ceil(Math.log2(sample) * 128) - 1
    counts.set(index, (counts.get(index) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => a - b)
}

const SECONDS = 10
const REQUESTS_EACH = 100
export const STEADY_LOAD = { rate: 200, warmUpSeconds: 0, seconds: SECONDS }

const ITERATIONS = {
  metric: 'iterations',
  type: 'counter',
  contains: 'default',
  tags: {},
  count: 2 * REQUESTS_EACH,
  sum: 2 * REQUESTS_EACH,
}

/** Writes a run folder of two routes with steady latencies that vary by 30 %; each `number` gives other values. */
export async function makeSteadyRun(
  cwd: string,
  name: string,
  options: { number: number; poolsMs?: number; run?: Partial<Run> },
) {
  const dir = join(cwd, name)
  const run = { id: name.replaceAll('/', '.'), job: 'load', mix: 'reads', load: STEADY_LOAD, ...options.run }
  await makeSyntheticRun({ dir, seed: 1, seconds: 0, samplesPerSecond: 1, series: [], run })
  const [header, end] = readFileSync(join(dir, 'series.ndjson'), 'utf8').trimEnd().split('\n')
  const points = Array.from({ length: SECONDS }, (_, second) =>
    [
      { name: 'GET /pools', medianMs: options.poolsMs ?? 20 },
      { name: 'GET /tokens', medianMs: 20 },
    ].map(({ name, medianMs }) =>
      JSON.stringify(generatePoint({ name, medianMs, second, number: options.number })),
    ),
  ).flat()
  const iterations = Array.from({ length: SECONDS }, (_, second) =>
    JSON.stringify({ ...ITERATIONS, time: SYNTHETIC_START + second }),
  )
  writeFileSync(join(dir, 'series.ndjson'), `${[header, ...points, ...iterations, end].join('\n')}\n`)
  if (run.load !== null && run.search == null) writeLoadTrial(dir, run.load)
  return dir
}

/** Writes the trial of a held load whose judged part starts with the series. */
export function writeLoadTrial(
  dir: string,
  load: NonNullable<Run['load']>,
  facts: Partial<TrialFacts> = {},
): void {
  const trial = { ...LOAD_TRIAL, ...load, judgedTo: SYNTHETIC_START + load.seconds, ...facts }
  writeFileSync(join(dir, RUN_FILES.trials), `${JSON.stringify(trial)}\n`)
}

const LOAD_TRIAL: Omit<TrialFacts, 'rate' | 'warmUpSeconds' | 'seconds' | 'judgedTo'> = {
  trial: 1,
  phase: 'stage',
  rateFrom: null,
  judgedFrom: SYNTHETIC_START,
  ended: 'completed',
  reason: null,
  instances: 1,
  vusMax: 5,
  generator: {
    cpuCores: 1.5,
    cpuCoresMax: 4,
    machineBusy: 0.5,
    runQueueCores: 0,
    throttledShare: null,
    openFilesMax: 20,
    openFilesLimit: 1024,
    portsUsedMax: 10,
    portsMax: 28_000,
    residentMbMax: null,
  },
  target: null,
}

function generatePoint(options: { name: string; medianMs: number; second: number; number: number }) {
  const { name, medianMs, second, number } = options
  const samples = Array.from({ length: REQUESTS_EACH }, (_, index) => {
    const [golden, whole] = [0.618034, 1]
    return medianMs * (0.85 + 0.3 * ((golden * (index + 7.3 * second + 31.7 * number)) % whole))
  })
  return {
    time: SYNTHETIC_START + second,
    metric: 'http_req_duration',
    type: 'trend',
    contains: 'time',
    tags: { route_group: 'reads', name, status: '200' },
    count: samples.length,
    sum: samples.reduce((sum, sample) => sum + sample, 0),
    min: Math.min(...samples),
    max: Math.max(...samples),
    zero: 0,
    buckets: bucketSamples(samples),
  }
}
