import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type K6Measure, type LeanScripts, measureK6, writeLeanScripts } from './lean-scripts.ts'
import type { LeanReady } from './lean-server.ts'
import { inTurns, spread, startMeasured } from './measuring.ts'

const ROUNDS = 5
const SECONDS = 3
const VUS = 20
const FEW_VUS = 40
const MANY_VUS = 340

type Name = keyof LeanScripts
type Run = (name: Name, scenario: object) => Promise<K6Measure>

/**
 * Cost of the client kit: the same requests to a bare server, by a bare k6 script and through the kit, in turns. Measures
 * throughput, CPU per request and memory per further VU. Sequential clients use k6's blocking calls; those with a socket or
 * concurrent requests use `asyncRequest`.
 */
export async function benchLean({ k6, print }: { k6: string; print: (line: string) => void }): Promise<void> {
  const { process: server, ready } = await startMeasured<object, LeanReady>('tools/bench/lean-server.ts')
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const url = `http://127.0.0.1:${ready.port}`
  try {
    const scripts = await writeLeanScripts({ folder, url, ready })
    const requests = async () => Number(await (await fetch(`${url}/requests`)).text())
    const run: Run = (name, scenario) => measureK6({ k6, requests }, scripts[name], scenario)
    print(`medians of ${ROUNDS} rounds (minimum to maximum):`)
    for (const line of await compareRates(run)) print(line)
    for (const line of await compareMemory(run)) print(line)
  } finally {
    server.end()
    await rm(folder, { recursive: true, force: true })
  }
}

const RATES: readonly Name[] = ['bare', 'bareUnread', 'bareAsync', 'alone', 'unread', 'request']

async function compareRates(run: Run): Promise<string[]> {
  const scenario = { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` }
  const rounds = await inTurns(RATES, { rounds: ROUNDS, measure: (name) => run(name, scenario) })
  const cpuUs = ({ cpuMs, requests }: K6Measure) => (cpuMs * 1000) / requests
  const against = (kit: Name, base: Name) => {
    const rate = spread(rounds.map((round) => round[kit].requests / round[base].requests))
    return `${rate}, by CPU ${spread(rounds.map((round) => cpuUs(round[base]) / cpuUs(round[kit])))}`
  }
  return [
    `  rate of requestAlone relative to http.get: ${against('alone', 'bare')} (target 0.9)`,
    `  the same, bodies left unread as in most of a load: ${against('unread', 'bare')}`,
    `  the same, left unread by both: ${against('unread', 'bareUnread')}`,
    `  rate of request relative to http.asyncRequest: ${against('request', 'bareAsync')} (target 0.9)`,
    `  µs of CPU per request: ${RATES.map((name) => `${name} ${spread(rounds.map((round) => cpuUs(round[name])))}`).join(', ')}`,
  ]
}

const MEMORIES: readonly Name[] = ['bare', 'bareUnread', 'alone', 'unread', 'request']

/** Each VU makes all requests a few times, so the difference is the memory of the additional VUs. */
async function compareMemory(run: Run): Promise<string[]> {
  const check = async (name: Name) => {
    const scenario = (vus: number) => ({ executor: 'per-vu-iterations', vus, iterations: 15 })
    const few = await run(name, scenario(FEW_VUS))
    const many = await run(name, scenario(MANY_VUS))
    return (many.peakKb - few.peakKb) / (MANY_VUS - FEW_VUS)
  }
  const rounds = await inTurns(MEMORIES, { rounds: ROUNDS, measure: check })
  const against = (kit: Name, base: Name) => spread(rounds.map((round) => round[kit] / round[base]))
  const kb = MEMORIES.map((name) => `${name} ${spread(rounds.map((round) => round[name]))}`).join(', ')
  return [
    `  memory of a further VU relative to a bare script: requestAlone ${against('alone', 'bare')}, request ${against('request', 'bare')} (target 1.4)`,
    `  the same, bodies left unread as in most of a load: ${against('unread', 'bare')}; by both: ${against('unread', 'bareUnread')}`,
    `  kB: ${kb}`,
  ]
}
