import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScenarioConfig, type Target, WORLD_NAMES } from '../../contract/scenario-config.ts'
import { bundleScript } from '../../scripts/k6/bundle-script.ts'
import { k6Env } from '../../scripts/k6/k6-args.ts'
import { projectPath } from '../../scripts/project.ts'
import { LEAN_PATHS, type LeanReady } from './lean-server.ts'

/** Scripts that send the same requests: bare ones for each kind of client, and the same through the client kit. */
export type LeanScripts = Record<
  'bare' | 'bareUnread' | 'bareAsync' | 'alone' | 'unread' | 'request',
  MeasuredScript
>

export async function writeLeanScripts(options: {
  folder: string
  url: string
  ready: LeanReady
}): Promise<LeanScripts> {
  const { folder, url, ready } = options
  const [token = ''] = ready.apiTokens
  const bare = join(folder, 'bare.js')
  await writeFile(bare, bareScript(url, token))
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify(configFor(ready, url)), { mode: 0o600 })
  const { file: kit } = await bundleScript({ script: projectPath('scenarios/lean.k6.ts'), folder })
  const env = { BREAKWATER_CONFIG: config }
  return {
    bare: { file: bare, exec: 'getOne', env: {} },
    bareUnread: { file: bare, exec: 'getOne', env: { UNREAD: 'yes' } },
    bareAsync: { file: bare, exec: 'getOneAsync', env: {} },
    alone: { file: kit, exec: 'leanAlone', env },
    unread: { file: kit, exec: 'leanAlone', env: { ...env, BREAKWATER_LEAN_UNREAD: 'yes' } },
    request: { file: kit, exec: 'lean', env },
  }
}

/** A script whose every request is recorded in the operation log, if k6 has that output. */
export async function writeRecordedScript(options: {
  folder: string
  url: string
  ready: LeanReady
}): Promise<MeasuredScript> {
  const { folder, url, ready } = options
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify(configFor(ready, url)), { mode: 0o600 })
  const { file } = await bundleScript({ script: projectPath('scenarios/recorded.k6.ts'), folder })
  return { file, exec: 'recorded', env: { BREAKWATER_CONFIG: config } }
}

/** As `smoke` writes it: every world with its wallets. */
function configFor(ready: LeanReady, url: string): ScenarioConfig {
  const target: Target = {
    profile: { ...ready.profile, baseUrl: url, control: null },
    wallets: [...ready.wallets],
    apiTokens: [...ready.apiTokens],
    controlToken: null,
  }
  const worlds = Object.fromEntries(WORLD_NAMES.map((name) => [name, target])) as ScenarioConfig['worlds'] // as: every name is a key
  return {
    worlds,
    seed: 7,
    rules: [],
    slow: false,
    mix: null,
    load: null,
    checkTarget: false,
    given: false,
    durationSecondsMax: 60,
    requestsMax: null,
    requestsSpent: 0,
    refuses: { writes: null, load: null },
    repro: null,
  }
}

/** Uses the kit's tags and system tags, so that only the kit makes a difference. */
function bareScript(url: string, token: string): string {
  return `
    import http from 'k6/http'
    const PATHS = ${JSON.stringify(LEAN_PATHS)}
    export const options = {
      discardResponseBodies: __ENV.UNREAD === 'yes',
      systemTags: ['status', 'method', 'name', 'scenario', 'error_code', 'expected_response'],
      scenarios: JSON.parse(__ENV.BREAKWATER_LEAN_SCENARIOS),
    }
    const params = (name) => ({
      headers: { Authorization: 'Bearer ${token}' },
      redirects: 0,
      timeout: '10s',
      tags: { name: 'GET ' + name, route_group: name.split('/')[1] },
    })
    const next = () => PATHS[__ITER % PATHS.length]
    export function getOne() {
      const path = next()
      const [name] = path.split('?')
      const response = http.get('${url}' + path, params(name))
      if (response.status !== 200) throw new Error(String(response.status))
    }
    export async function getOneAsync() {
      const path = next()
      const [name] = path.split('?')
      const response = await http.asyncRequest('GET', '${url}' + path, null, params(name))
      if (response.status !== 200) throw new Error(String(response.status))
    }
  `
}

/** A k6 script that reads its scenarios from BREAKWATER_LEAN_SCENARIOS. */
export type MeasuredScript = { file: string; exec: string; env: Record<string, string> }

export type K6Measure = { requests: number; cpuMs: number; peakKb: number }

const POLL_MS = 50

/** Runs the scenario. Reads k6's CPU time and peak memory while it runs, since they are gone after its exit. */
export async function measureK6(
  { k6, requests, outs = [] }: { k6: string; requests: () => Promise<number>; outs?: readonly string[] },
  script: MeasuredScript,
  scenario: object,
): Promise<K6Measure> {
  const before = await requests()
  const args = [
    'run',
    '--quiet',
    '--summary-mode=disabled',
    '--no-thresholds',
    '--no-usage-report',
    '--address=',
    ...outs.map((out) => `--out=${out}`),
    script.file,
  ]
  const child = spawn(k6, args, {
    env: {
      ...k6Env(process.env),
      ...script.env,
      BREAKWATER_LEAN_SCENARIOS: JSON.stringify({ lean: { ...scenario, exec: script.exec } }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const measure = { cpuMs: 0, peakKb: 0 }
  const timer = setInterval(() => {
    poll(child.pid ?? 0).then(
      (seen) => Object.assign(measure, seen),
      () => {},
    )
  }, POLL_MS)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0 || errors.includes('Error'))
    throw new Error(`k6 ended with ${code} (${script.file}): ${errors.slice(0, 2000)}`)
  return { ...measure, requests: (await requests()) - before }
}

const TICK_MS = 10

async function poll(pid: number): Promise<{ cpuMs: number; peakKb: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])
  if (Number.isNaN(peakKb)) throw new Error('it has ended')
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, peakKb }
}
