/** The cost of the arrivals executor and of the series, in requests that a busy k6 sends, against k6's own executor without output. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runK6 } from '../../scripts/k6/run-k6.ts'
import { median, type Server, startServer } from './k6-output.bench.ts'

const ROUNDS = 8
const SECONDS = 4
/** More than any machine sends: k6 is always busy. */
const RATE = 100_000
const VUS = 20

const SCENARIOS = {
  own: {
    executor: 'constant-arrival-rate',
    rate: RATE,
    duration: `${SECONDS}s`,
    preAllocatedVUs: VUS,
    maxVUs: VUS,
  },
  arrivals: {
    executor: 'breakwater-arrivals',
    arrivals: 'poisson',
    stages: [{ seconds: SECONDS, from: RATE, to: RATE }],
    vus: VUS,
  },
}

export async function benchArrivals({
  k6,
  print,
}: {
  k6: string
  print: (line: string) => void
}): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const server = await startServer()
  try {
    const count = (name: keyof typeof SCENARIOS, out: readonly string[]) =>
      countRequests({ k6, folder, server, name, out })
    const series = [`--out=series=${join(folder, 'series.ndjson')}`]
    await count('own', [])
    const ratios = { executor: [] as number[], both: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      // Each is between two runs of k6's executor: a drift of the machine cancels out.
      const before = await count('own', [])
      const executor = await count('arrivals', [])
      const both = await count('arrivals', series)
      const baseline = (before + (await count('own', []))) / 2
      ratios.executor.push(executor / baseline)
      ratios.both.push(both / baseline)
    }
    print(`requests against k6's executor without output: ${ROUNDS} rounds of ${SECONDS} s, medians`)
    print(`  breakwater-arrivals               ${line(ratios.executor)}`)
    print(`  breakwater-arrivals with series   ${line(ratios.both)}`)
  } finally {
    server.child.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

function line(ratios: readonly number[]): string {
  return `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`
}

async function countRequests(options: {
  k6: string
  folder: string
  server: Server
  name: keyof typeof SCENARIOS
  out: readonly string[]
}): Promise<number> {
  const { k6, folder, server, name, out } = options
  const file = join(folder, `${name}.js`)
  await writeFile(file, script(SCENARIOS[name], server.url))
  const before = await server.requests()
  const run = await runK6({
    binary: k6,
    args: ['run', '--quiet', '--summary-mode=disabled', '--no-thresholds', ...out, file],
    env: {},
    cwd: folder,
    deadlineMs: (SECONDS + 60) * 1000,
    graceMs: 2000,
    stdoutFile: join(folder, 'stdout'),
    stderrFile: join(folder, 'stderr'),
  })
  if (run.exitCode !== 0) throw new Error(`k6 ${run.meaning} with ${name}`)
  return (await server.requests()) - before
}

function script(scenario: object, url: string): string {
  return `
    import http from 'k6/http'
    export const options = { scenarios: { load: ${JSON.stringify(scenario)} } }
    export default function () { http.get('${url}', { tags: { name: 'GET /' } }) }`
}
