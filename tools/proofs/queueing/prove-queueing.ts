/** Latencies from the intended start, as k6 measures them, next to those that queueing theory gives for the same arrivals. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { readSeries } from '../../../reports/series/read-series.ts'
import { groupRoutes } from '../../../reports/series/tally.ts'
import { computeQuantile, type Histogram } from '../../../reports/statistics/histogram.ts'
import { runK6 } from '../../../scripts/k6/run-k6.ts'
import { projectPath } from '../../../scripts/project.ts'
import {
  computeSojourns,
  computeStalled,
  drawArrivals,
  exponential,
  quantileOf,
  type Stall,
} from './queue-path.ts'
import type { ServerOptions } from './queue-server.ts'

const ROUNDS = 3
const SECONDS = 80
/** Slow enough that the time of a request itself hardly counts. */
const SERVICE_PER_SECOND = 10
const SERVICE_MS = 1000 / SERVICE_PER_SECOND
const UTILIZATIONS = [0.5, 0.7, 0.9]
const STALL: Stall = { perSecond: 20, seconds: 60, stopAt: 20, stopSeconds: 15, serviceMs: 400 }
const VUS = 400

type Case = {
  name: string
  seconds: number
  perSecond: number
  /** Recorded arrivals; undefined: evenly spaced. */
  arrivals?: readonly number[]
  server: ServerOptions
  expectedMs: readonly number[]
  /** The percentiles that must be this close. */
  judged: readonly number[]
  tolerance: number
}

type Report = (name: string, problem: string | undefined, found: string) => void

/** The cases of a round run side by side: together they send about 100 requests per second. */
export async function proveQueueing({ k6, report }: { k6: string; report: Report }): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const results = await Promise.all(
      listCases(round).map(async (one) => ({ one, latency: await measure(k6, one) })),
    )
    for (const { one, latency } of results) {
      const figures = QUANTILES.map((quantile) => {
        const expected = quantileOf(one.expectedMs, quantile)
        const seen = computeQuantile(latency, quantile) ?? Number.NaN
        return { quantile, expected, seen, off: seen / expected - 1 }
      })
      const isOff = figures.some(
        ({ quantile, off }) => one.judged.includes(quantile) && !(Math.abs(off) <= one.tolerance),
      )
      const lost = one.expectedMs.length - latency.count
      const problem =
        lost !== 0 || latency.infinite > 0
          ? `${lost} requests are missing, ${latency.infinite} were dropped`
          : isOff
            ? `off by more than ${one.tolerance * 100} %`
            : undefined
      const texts = figures.map(
        ({ quantile, expected, seen, off }) =>
          `p${quantile * 100} ${seen.toFixed(1)} of ${expected.toFixed(1)} ms (${(off * 100).toFixed(1)} %)`,
      )
      report(`${one.name}, ${round} of ${ROUNDS}`, problem, `${texts.join(', ')}; ${latency.count} requests`)
    }
  }
}

const QUANTILES = [0.5, 0.95, 0.99]

function listCases(round: number): Case[] {
  const queues = UTILIZATIONS.flatMap((utilization, place) =>
    (['constant', 'exponential'] as const).map((kind): Case => {
      const seed = 100 * round + 10 * place
      const arrivals = drawArrivals({ perSecond: utilization * SERVICE_PER_SECOND, seconds: SECONDS, seed })
      const last = arrivals.at(-1) ?? 0
      const draw = kind === 'constant' ? () => SERVICE_MS : exponential(seed + 1, SERVICE_MS)
      return {
        name: `M/${kind === 'constant' ? 'D' : 'M'}/1 at utilization ${utilization}`,
        seconds: last + 0.01,
        perSecond: (arrivals.length - 1) / last,
        arrivals,
        server: { kind, perSecond: SERVICE_PER_SECOND, seed: seed + 1 },
        expectedMs: computeSojourns(arrivals, draw),
        judged: [0.95],
        tolerance: 0.03,
      }
    }),
  )
  const stalled: Case = {
    name: 'a target that is stopped for 15 of 60 s',
    seconds: STALL.seconds,
    perSecond: STALL.perSecond,
    server: { kind: 'stalled', ...STALL },
    expectedMs: computeStalled(STALL),
    judged: QUANTILES,
    tolerance: 0.02,
  }
  return [...queues, stalled]
}

async function measure(k6: string, one: Case): Promise<Histogram> {
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const args = [
    '--import',
    './tools/typescript.mjs',
    'tools/proofs/queueing/queue-server.ts',
    JSON.stringify(one.server),
  ]
  const server = spawn(execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: projectPath('.') })
  try {
    const [port] = await once(createInterface({ input: server.stdout }), 'line')
    await fetch(`http://127.0.0.1:${port}/warm`).then((response) => response.text())
    const times = join(folder, 'times.txt')
    await writeFile(times, (one.arrivals ?? []).map((seconds) => `${seconds.toFixed(9)}\n`).join(''))
    await writeFile(join(folder, 'script.js'), script(one, { url: `http://127.0.0.1:${port}/`, times }))
    const series = join(folder, 'series.ndjson')
    const ended = await runK6({
      binary: k6,
      args: [
        'run',
        '--quiet',
        '--summary-mode=disabled',
        `--out=series=${series}`,
        join(folder, 'script.js'),
      ],
      env: {},
      cwd: folder,
      deadlineMs: (one.seconds + 60) * 1000,
      graceMs: 2000,
      stdoutFile: join(folder, 'stdout'),
      stderrFile: join(folder, 'stderr'),
    })
    if (ended.exitCode !== 0) throw new Error(`k6 ${ended.meaning}`)
    const read = await readSeries(series)
    const [all] = groupRoutes(read.series)
    if (all === undefined) throw new Error('nothing was measured')
    return all.latency
  } finally {
    server.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

function script(
  { seconds, perSecond, arrivals }: Case,
  { url, times }: { url: string; times: string },
): string {
  const scenario = {
    executor: 'breakwater-arrivals',
    ...(arrivals === undefined ? { arrivals: 'even' } : { arrivals: 'trace', file: times }),
    stages: [{ seconds, from: perSecond, to: perSecond }],
    vus: VUS,
    gracefulStop: '30s',
  }
  return `
    import http from 'k6/http'
    export const options = { scenarios: { load: ${JSON.stringify(scenario)} } }
    export default function () {
      http.get('${url}', { timeout: '60s', tags: { name: 'GET /', route_group: 'queue' } })
    }`
}
