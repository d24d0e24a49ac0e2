/** Benchmarks of the design's performance targets. Ratios come from one run on one machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { createInterface } from 'node:readline'
import { runK6 } from '../../scripts/k6/run-k6.ts'

export type BenchK6OutputOptions = {
  /** A k6 with the series output. */
  k6: string
  print: (line: string) => void
  /** Duration of one run. All runs together take at most 80 s. */
  seconds: number
}

/** Medians over the rounds, and the range of single rounds as noise. The ratio is to the requests of the same round without output. */
export type OutputCost = {
  output: string
  requestRatio: number
  requestRatioRange: readonly [number, number]
  bytesPerSecond: number
}

const OUTPUTS = ['none', 'series', 'csv', 'json'] as const
type Output = (typeof OUTPUTS)[number]

const ALL_SECONDS_MAX = 80
const START_SECONDS = 0.5 // per run, in addition to its duration

// A Williams square: over four rounds, each output has each position once and follows each other one once. Otherwise the run
// without output would often follow json and pay for its pending disk writes.
const ORDERS: readonly (readonly Output[])[] = [
  ['none', 'series', 'json', 'csv'],
  ['series', 'csv', 'none', 'json'],
  ['csv', 'json', 'series', 'none'],
  ['json', 'none', 'csv', 'series'],
]

export async function benchK6Output({ k6, print, seconds }: BenchK6OutputOptions): Promise<OutputCost[]> {
  const rounds = Math.max(1, Math.floor(ALL_SECONDS_MAX / (OUTPUTS.length * (seconds + START_SECONDS))))
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const server = await startServer()
  try {
    print(`k6 outputs: ${rounds} rounds of ${OUTPUTS.length} runs of ${seconds} s, medians`)
    await writeFile(join(folder, 'script.js'), script(server.url, seconds))
    // Not counted: the first run has cold caches, which would favor the later ones.
    await runOnce({ k6, folder, server, seconds, output: 'none' })
    const measured: Record<Output, Measure>[] = []
    for (let round = 0; round < rounds; round++)
      measured.push(await runRound({ k6, folder, server, seconds, round }))
    const costs = OUTPUTS.map((output) => computeCost(output, measured))
    for (const cost of costs) print(costLine(cost))
    return costs
  } finally {
    server.child.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

type Measure = { requests: number; bytesPerSecond: number }
type RoundOptions = { k6: string; folder: string; server: Server; seconds: number; round: number }

async function runRound({ round, ...options }: RoundOptions): Promise<Record<Output, Measure>> {
  const measures: Partial<Record<Output, Measure>> = {}
  for (const output of ORDERS[round % ORDERS.length] ?? []) {
    measures[output] = await runOnce({ ...options, output })
  }
  return measures as Record<Output, Measure> // as: the loop fills every key
}

async function runOnce({
  k6,
  folder,
  server,
  seconds,
  output,
}: Omit<RoundOptions, 'round'> & { output: Output }) {
  const file = join(folder, `out.${output}`)
  const out = output === 'none' ? [] : [`--out=${output}=${file}`]
  const before = await server.requests()
  const run = await runK6({
    binary: k6,
    args: ['run', '--quiet', '--summary-mode=disabled', '--no-thresholds', ...out, join(folder, 'script.js')],
    env: {},
    cwd: folder,
    deadlineMs: (seconds + 10) * 1000,
    graceMs: 2000,
    stdoutFile: join(folder, 'stdout'),
    stderrFile: join(folder, 'stderr'),
  })
  if (run.exitCode !== 0) throw new Error(`k6 ${run.meaning}, with --out ${output}`)
  const requests = (await server.requests()) - before
  const bytes = output === 'none' ? 0 : (await stat(file)).size
  await rm(file, { force: true })
  return { requests, bytesPerSecond: bytes / seconds }
}

function computeCost(output: Output, rounds: readonly Record<Output, Measure>[]): OutputCost {
  const ratios = rounds.map((round) => round[output].requests / round.none.requests)
  return {
    output,
    requestRatio: median(ratios),
    requestRatioRange: [Math.min(...ratios), Math.max(...ratios)],
    bytesPerSecond: median(rounds.map((round) => round[output].bytesPerSecond)),
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}

function costLine({
  output,
  requestRatio,
  requestRatioRange: [least, most],
  bytesPerSecond,
}: OutputCost): string {
  const range = `${least.toFixed(3)} to ${most.toFixed(3)}`
  const size = `${(bytesPerSecond / 1000).toFixed(0)} kB a second`
  return `  ${output.padEnd(6)} ${requestRatio.toFixed(3)} of the requests (${range}), ${size}`
}

function script(url: string, seconds: number): string {
  return `
    import http from 'k6/http'
    import { check } from 'k6'
    const NAMES = ['GET /pools', 'GET /pools/{key}', 'GET /swaps', 'GET /tokens', 'GET /route']
    export const options = { vus: 20, duration: '${seconds}s' }
    export default function () {
      const name = NAMES[__ITER % NAMES.length]
      const response = http.get('${url}', { tags: { name } })
      check(response, { answered: ({ status }) => status === 200 })
    }`
}

// A bare server, so that k6 is the bottleneck.
const SERVER = `
  const body = Buffer.alloc(1000, 'x')
  let requests = 0
  const server = require('node:http').createServer((request, response) => {
    if (request.url === '/requests') return response.end(String(requests))
    requests++
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

type Server = { child: ChildProcess; url: string; requests: () => Promise<number> }

async function startServer(): Promise<Server> {
  const child = spawn(execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  const url = `http://127.0.0.1:${port}/`
  return { child, url, requests: async () => Number(await (await fetch(`${url}requests`)).text()) }
}
