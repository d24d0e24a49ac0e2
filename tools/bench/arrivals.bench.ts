/** The cost of the arrivals executor, of the series and of traced requests, against k6's own executor without output. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TRACE_SHARE } from '../../contract/series.ts'
import { type K6Measure, measureK6 } from './lean-scripts.ts'
import type { LeanReady } from './lean-server.ts'
import { inTurns, spread, startMeasured } from './measuring.ts'

const ROUNDS = 10
const SECONDS = 3
/** Less than k6 can send, so that no iteration is dropped: then processor time per request limits the rate. */
const RATE = 2000
const VUS = 200

const OWN = {
  executor: 'constant-arrival-rate',
  rate: RATE,
  duration: `${SECONDS}s`,
  preAllocatedVUs: VUS,
  maxVUs: VUS,
}
const ARRIVALS = {
  executor: 'breakwater-arrivals',
  arrivals: 'poisson',
  stages: [{ seconds: SECONDS, from: RATE, to: RATE }],
  vus: VUS,
}
type Run = { scenario: object; hasSeries: boolean; traceShare?: string }
const RUNS = {
  own: { scenario: OWN, hasSeries: false },
  executor: { scenario: ARRIVALS, hasSeries: false },
  both: { scenario: ARRIVALS, hasSeries: true },
  traced: { scenario: ARRIVALS, hasSeries: true, traceShare: TRACE_SHARE.load },
  allTraced: { scenario: ARRIVALS, hasSeries: true, traceShare: '1' },
} as const satisfies Record<string, Run>
type RunName = keyof typeof RUNS

export async function benchArrivals({
  k6,
  print,
}: {
  k6: string
  print: (line: string) => void
}): Promise<void> {
  const { process: server, ready } = await startMeasured<object, LeanReady>('tools/bench/lean-server.ts')
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const url = `http://127.0.0.1:${ready.port}`
  try {
    const file = join(folder, 'script.js')
    await writeFile(file, script(url))
    const requests = async () => Number(await (await fetch(`${url}/requests`)).text())
    const series = `series=${join(folder, 'series.ndjson')}`
    const names = Object.keys(RUNS) as RunName[] // as: its keys are the names
    const rounds = await inTurns(names, {
      rounds: ROUNDS,
      measure(name) {
        const { scenario, hasSeries, traceShare = '0' }: Run = RUNS[name]
        const outs = hasSeries ? [series] : []
        const env = { [TRACE_SHARE.variable]: traceShare }
        return measureK6({ k6, requests, outs }, { file, exec: 'read', env }, scenario)
      },
    })
    const percentages = (name: RunName, of: RunName = 'own') =>
      spread(rounds.map((round) => (100 * cpuUs(round[of])) / cpuUs(round[name])))
    print(
      `requests per processor time, relative to k6's executor without output, ${ROUNDS} rounds, %: breakwater-arrivals ${percentages('executor')}; and series ${percentages('both')} (target 97)`,
    )
    print(
      `the same with traced requests, relative to both without, %: a share of ${TRACE_SHARE.load} as in a load ${percentages('traced', 'both')}; all ${percentages('allTraced', 'both')}`,
    )
  } finally {
    server.end()
    await rm(folder, { recursive: true, force: true })
  }
}

function cpuUs({ cpuMs, requests }: K6Measure): number {
  return (cpuMs * 1000) / requests
}

function script(url: string): string {
  return `
    import http from 'k6/http'
    export const options = { scenarios: JSON.parse(__ENV.BREAKWATER_LEAN_SCENARIOS) }
    export function read() { http.get('${url}/fee-tiers', { tags: { name: 'GET /fee-tiers' } }) }`
}
