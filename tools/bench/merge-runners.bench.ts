import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { bucketSamples, SYNTHETIC_START } from '../../reports/synthetic-run.ts'
import { projectPath } from '../../scripts/project.ts'
import { quantile, runChild, spread } from './measuring.ts'

const ROUNDS = 3

/** A load in a cluster: 20,000 requests/s for ten minutes. */
const LOAD = { runners: 100, seconds: 600, routes: 12, requestsPerSecond: 200 }
/** How many of the runners' files the baseline parses: all of them would take minutes. */
const PARSED = 10

/** Cost of merging the series of a hundred runners, in a separate process each, next to parsing their lines. */
export async function benchMergeRunners({ print }: { print: (line: string) => void }): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'breakwater-bench-'))
  try {
    const files = await writeRunnerSeries({ dir, ...LOAD })
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
    const output = path.join(dir, 'series.ndjson')
    const rounds = Array.from({ length: ROUNDS }, () => ({
      merge: runChild(MERGE_SCRIPT, { FILES: files.join(':'), OUTPUT: output }),
      parse: runChild(PARSE_SCRIPT, { FILES: files.slice(0, PARSED).join(':') }),
    }))
    const ratios = rounds.map(({ merge, parse }) => merge.wallMs / (parse.wallMs * (LOAD.runners / PARSED)))
    const gigabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e9
    print(
      `merging ${LOAD.runners} runners of ${LOAD.seconds} s, ${LOAD.routes} routes, ${LOAD.requestsPerSecond} requests/s each (${gigabytes.toFixed(2)} GB), medians of ${ROUNDS} rounds (minimum to maximum):`,
    )
    print(
      `  ${spread(rounds.map(({ merge }) => merge.wallMs / 1000))} s (target 40), peak ${peakMb(rounds.map(({ merge }) => merge.rssMb))} MB (target 500), ${spread(ratios)} times parsing every line`,
    )
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function peakMb(values: readonly number[]): string {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  ).toFixed(0)
}

const MERGE_SCRIPT = `
  const { mergeSeries } = await import(${JSON.stringify(projectPath('reports/series/append-series.ts'))})
  const inputs = process.env.FILES.split(':').map((file) => ({ file, name: file }))
  const { complete, notes } = await mergeSeries({ inputs, output: process.env.OUTPUT, version: '2.2.0', startMs: 0, nowMs: 0 })
  if (!complete) throw new Error(notes.join(' '))`

const PARSE_SCRIPT = `
  const { createReadStream } = await import('node:fs')
  for (const file of process.env.FILES.split(':')) {
    let rest = ''
    for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
      const lines = (rest + chunk).split('\\n')
      rest = lines.pop()
      for (const line of lines) JSON.parse(line)
    }
  }`

export type RunnerSeries = {
  dir: string
  runners: number
  seconds: number
  routes: number
  /** Per runner. */
  requestsPerSecond: number
}

/** How many trend lines are drawn; each line uses one of them. */
const DRAWN = 2000

const LATENCIES = ['blocked', 'duration', 'receiving', 'sending', 'waiting']
/** Trends whose samples are all 0 on a kept connection. */
const ZEROS = ['connecting', 'tls_handshaking']
const GAUGES = [
  'open_files',
  'open_files_limit',
  'time_wait_sockets',
  'ports_max',
  'resident_mb',
  'cores_max',
  'machine_cores',
]
const COUNTERS = [
  'seconds',
  'cpu_seconds',
  'run_delay_seconds',
  'periods',
  'throttled_periods',
  'machine_seconds',
  'machine_busy_seconds',
]

/** Writes k6's files of a cluster load, line for line as in a real one: one per runner, seeded by its number. Returns the files. */
export async function writeRunnerSeries(options: RunnerSeries): Promise<string[]> {
  const files: string[] = []
  for (let runner = 1; runner <= options.runners; runner += 1) {
    const file = path.join(options.dir, `series-${runner}.ndjson`)
    await writeRunner(file, runner, options)
    files.push(file)
  }
  return files
}

async function writeRunner(file: string, runner: number, options: RunnerSeries): Promise<void> {
  const { seconds, routes, requestsPerSecond } = options
  const out = createWriteStream(file)
  const generator = xoroshiro128plus(runner)
  const random = () => uniformFloat64(generator)
  const perRoute = Math.round(requestsPerSecond / routes)
  const ofRoute = Array.from({ length: DRAWN }, () => trendTail(perRoute, random))
  const ofAll = Array.from({ length: DRAWN / 10 }, () => trendTail(requestsPerSecond, random))
  const drawn = (tails: readonly string[]) => tails[Math.floor(random() * tails.length)] ?? ''
  const lines = createLines({ runner, routes, perRoute, requestsPerSecond })
  out.write('{"type":"header","format":1,"k6":"2.2.0","start":"2026-01-02T03:04:05.000Z","scale":7}\n')
  for (let second = 0; second < seconds; second += 1) {
    const time = `{"time":${SYNTHETIC_START + second},`
    const text = lines.map(({ head, tail }) => {
      if (tail === 'route') return time + head + drawn(ofRoute)
      return time + head + (tail === 'all' ? drawn(ofAll) : tail)
    })
    if (!out.write(text.join(''))) await once(out, 'drain')
  }
  out.end('{"type":"end","time":"2026-01-02T03:14:05.000Z","samples":0}\n')
  await once(out, 'finish')
}

/** `tail`: a drawn one by name, or the line's own. */
type LineOf = { head: string; tail: string }

function createLines(options: {
  runner: number
  routes: number
  perRoute: number
  requestsPerSecond: number
}): LineOf[] {
  const { runner, routes, perRoute, requestsPerSecond } = options
  const own = { instance_id: String(runner), job_name: `load-${runner}`, trial: '1' }
  const readers = { client: 'readers', ...own, scenario: 'mix-readers' }
  const head = (metric: string, type: string, tags: object) =>
    `"metric":"${metric}","type":"${type}","contains":"${type === 'trend' ? 'time' : 'default'}","tags":${JSON.stringify(tags)},`
  const count = (sum: number) => `"count":${requestsPerSecond},"sum":${sum}}\n`
  const zeros = `"count":${perRoute},"sum":0,"min":0,"max":0,"zero":${perRoute},"buckets":[]}\n`
  const ofRoutes = Array.from({ length: routes }, (_, route) => {
    const tags = {
      client: 'readers',
      expected_response: 'true',
      instance_id: own.instance_id,
      job_name: own.job_name,
      method: 'GET',
      name: `GET /route-${route}/{key}`,
      route_group: `group-${route % 6}`,
      scenario: 'mix-readers',
      status: '200',
      trial: '1',
    }
    return [
      ...LATENCIES.map((name) => ({ head: head(`http_req_${name}`, 'trend', tags), tail: 'route' })),
      ...ZEROS.map((name) => ({ head: head(`http_req_${name}`, 'trend', tags), tail: zeros })),
      { head: head('http_req_failed', 'rate', tags), tail: `"count":${perRoute},"sum":0}\n` },
      { head: head('http_reqs', 'counter', tags), tail: `"count":${perRoute},"sum":${perRoute}}\n` },
    ]
  })
  const all: LineOf[] = [
    ...ofRoutes.flat(),
    { head: head('data_received', 'counter', readers), tail: count(1_444_183) },
    { head: head('data_sent', 'counter', readers), tail: count(22_474) },
    { head: head('generator_lag', 'trend', { ...own, scenario: 'heartbeat' }), tail: 'route' },
    { head: head('iteration_duration', 'trend', readers), tail: 'all' },
    { head: head('iterations', 'counter', readers), tail: count(requestsPerSecond) },
    {
      head: head('mix_clients', 'counter', { ...readers, end: 'completed' }),
      tail: count(requestsPerSecond),
    },
    ...['vus', 'vus_max'].map((name) => ({ head: head(name, 'gauge', own), tail: gauge(20) })),
    ...GAUGES.map((name) => ({ head: head(`generator_${name}`, 'gauge', own), tail: gauge(112) })),
    ...COUNTERS.map((name) => ({
      head: head(`generator_${name}`, 'counter', own),
      tail: '"count":1,"sum":0.171875}\n',
    })),
  ]
  return all.sort((a, b) => (a.head < b.head ? -1 : 1))
}

function gauge(value: number): string {
  return `"count":1,"sum":${value},"min":${value},"max":${value},"last":${value}}\n`
}

/** Samples in k6's resolution of nanoseconds: log-normal by Box and Muller (1958), median 1 ms. */
function trendTail(count: number, random: () => number): string {
  const samples = Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return Math.round(1e6 * Math.exp(0.5 * normal)) / 1e6
  })
  const sum = samples.reduce((all, sample) => all + sample, 0)
  return `"count":${count},"sum":${sum},"min":${Math.min(...samples)},"max":${Math.max(...samples)},"zero":0,"buckets":${JSON.stringify(bucketSamples(samples))}}\n`
}
