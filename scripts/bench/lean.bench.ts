import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScenarioConfig, type Target, WORLD_NAMES } from '../../contract/scenario-config.ts'
import { k6Env } from '../k6/k6-args.ts'
import { projectPath } from '../project-path.ts'
import { LEAN_PATHS, type LeanReady } from './lean-server.ts'
import { startMeasured } from './measured-process.ts'
import { spread } from './spread.ts'

const ROUNDS = 5
const SECONDS = 3
const VUS = 20
const FEW_VUS = 40
const MANY_VUS = 340

type Script = { file: string; env: Record<string, string> }
type Scripts = { bare: Script; async: Script; kit: Script }
type Measure = { requests: number; cpuMs: number; peakKb: number }
type Bench = { k6: string; requests: () => Promise<number> }

/**
 * What the client kit costs: the same requests to the same bare server, by a bare k6 script and through the kit, in turns:
 * requests in the same time (as many as k6 gets done), k6's processor time for each, and memory for each further VU. A
 * second bare script sends them by `asyncRequest`, as the kit must, which sends some side by side.
 */
export async function benchLean({ k6, print }: { k6: string; print: (line: string) => void }): Promise<void> {
  const { process: server, ready } = await startMeasured<object, LeanReady>('scripts/bench/lean-server.ts')
  const folder = await mkdtemp(join(tmpdir(), 'breakwater-bench-'))
  const url = `http://127.0.0.1:${ready.port}`
  try {
    const scripts = await writeScripts({ folder, url, ready })
    const bench = { k6, requests: async () => Number(await (await fetch(`${url}/requests`)).text()) }
    print(`medians of ${ROUNDS} rounds (least to most):`)
    for (const line of await compareRates(bench, scripts)) print(line)
    print(await compareMemory(bench, scripts))
  } finally {
    server.end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeScripts(options: { folder: string; url: string; ready: LeanReady }): Promise<Scripts> {
  const { folder, url, ready } = options
  const [token = ''] = ready.apiTokens
  const bare = join(folder, 'bare.js')
  await writeFile(bare, bareScript(url, token))
  // As smoke writes it: every world with its wallets.
  const target: Target = {
    profile: { ...ready.profile, baseUrl: url, control: null },
    wallets: [...ready.wallets],
    apiTokens: [...ready.apiTokens],
    controlToken: null,
  }
  const worlds = Object.fromEntries(WORLD_NAMES.map((name) => [name, target])) as ScenarioConfig['worlds'] // as: all names
  const config: ScenarioConfig = {
    worlds,
    seed: 7,
    rules: [],
    slow: false,
    mix: null,
    given: false,
    durationSecondsMax: 60,
    requestsMax: null,
    refuses: { writes: null, load: null },
    repro: null,
  }
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return {
    bare: { file: bare, env: {} },
    async: { file: bare, env: { ASYNC: 'yes' } },
    kit: { file: projectPath('scenarios/lean.k6.ts'), env: { BREAKWATER_CONFIG: file } },
  }
}

/** The same tags and the same system tags: what is measured is the kit, not its choice of tags. */
function bareScript(url: string, token: string): string {
  return `
    import http from 'k6/http'
    const PATHS = ${JSON.stringify(LEAN_PATHS)}
    export const options = {
      systemTags: ['status', 'method', 'name', 'scenario', 'error_code', 'expected_response'],
      scenarios: JSON.parse(__ENV.BREAKWATER_LEAN_SCENARIOS),
    }
    const params = (name) => ({
      headers: { Authorization: 'Bearer ${token}' },
      redirects: 0,
      timeout: '10s',
      tags: { name: 'GET ' + name, route_group: name.split('/')[1] },
    })
    function getOne(path) {
      const [name] = path.split('?')
      const response = http.get('${url}' + path, params(name))
      if (response.status !== 200) throw new Error(String(response.status))
    }
    async function getOneAsync(path) {
      const [name] = path.split('?')
      const response = await http.asyncRequest('GET', '${url}' + path, null, params(name))
      if (response.status !== 200) throw new Error(String(response.status))
    }
    const send = __ENV.ASYNC ? getOneAsync : getOne
    export function lean() {
      return send(PATHS[__ITER % PATHS.length])
    }`
}

const NAMES = ['bare', 'async', 'kit'] as const

async function compareRates(bench: Bench, scripts: Scripts): Promise<string[]> {
  const scenario = { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s`, exec: 'lean' }
  const rounds: Record<keyof Scripts, Measure>[] = []
  // The first only warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const measures: Partial<Record<keyof Scripts, Measure>> = {}
    for (const name of round % 2 === 0 ? NAMES : NAMES.toReversed()) {
      measures[name] = await runOnce(bench, scripts[name], scenario)
    }
    if (round > 0) rounds.push(measures as Record<keyof Scripts, Measure>) // as: the loop has been over all
  }
  const cpuUs = ({ cpuMs, requests }: Measure) => (cpuMs * 1000) / requests
  const against = (base: 'bare' | 'async') => {
    const rate = spread(rounds.map((round) => round.kit.requests / round[base].requests))
    return `${rate}, by CPU ${spread(rounds.map((round) => cpuUs(round[base]) / cpuUs(round.kit)))}`
  }
  return [
    `  rate of the kit to that of a bare script: ${against('bare')} (target 0.85)`,
    `  to that of a bare script with asyncRequest: ${against('async')}`,
    `  µs of CPU a request: ${NAMES.map((name) => `${name} ${spread(rounds.map((round) => cpuUs(round[name])))}`).join(', ')}`,
  ]
}

/** Each VU makes all requests a few times; what more VUs take more is theirs. */
async function compareMemory(bench: Bench, { bare, kit }: Scripts): Promise<string> {
  const growth = async (script: Script): Promise<number> => {
    const scenario = (vus: number) => ({ executor: 'per-vu-iterations', vus, iterations: 15, exec: 'lean' })
    const few = await runOnce(bench, script, scenario(FEW_VUS))
    const many = await runOnce(bench, script, scenario(MANY_VUS))
    return (many.peakKb - few.peakKb) / (MANY_VUS - FEW_VUS)
  }
  const rounds: { theirs: number; ours: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ theirs: await growth(bare), ours: await growth(kit) })
  }
  const ratio = spread(rounds.map(({ theirs, ours }) => ours / theirs))
  const kb = (name: 'ours' | 'theirs') => spread(rounds.map((round) => round[name]))
  return `  memory of a further VU, kit to bare: ${ratio} (target 1.5); kB: kit ${kb('ours')}, bare ${kb('theirs')}`
}

const LOOK_MS = 50

/** k6's processor time and peak memory are read while it runs: nobody tells them of a process that has ended. */
async function runOnce({ k6, requests }: Bench, script: Script, scenario: object): Promise<Measure> {
  const before = await requests()
  const args = [
    'run',
    '--quiet',
    '--summary-mode=disabled',
    '--no-thresholds',
    '--no-usage-report',
    '--address=',
    script.file,
  ]
  const child = spawn(k6, args, {
    env: {
      ...k6Env(process.env),
      ...script.env,
      BREAKWATER_LEAN_SCENARIOS: JSON.stringify({ lean: scenario }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const measure = { cpuMs: 0, peakKb: 0 }
  const timer = setInterval(() => {
    look(child.pid ?? 0).then(
      (seen) => Object.assign(measure, seen),
      () => {},
    )
  }, LOOK_MS)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0 || errors.includes('Error'))
    throw new Error(`k6 ended with ${code} (${script.file}): ${errors.slice(0, 2000)}`)
  return { ...measure, requests: (await requests()) - before }
}

const TICK_MS = 10

async function look(pid: number): Promise<{ cpuMs: number; peakKb: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])
  if (Number.isNaN(peakKb)) throw new Error('it has ended')
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, peakKb }
}
