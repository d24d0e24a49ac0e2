import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScenarioConfig, type Target, WORLD_NAMES } from '../../contract/scenario-config.ts'
import { bundleScript } from '../../scripts/k6/bundle-script.ts'
import { projectPath } from '../../scripts/project-path.ts'
import { LEAN_PATHS, type LeanReady } from './lean-server.ts'
import type { MeasuredScript } from './measured-k6.ts'

/** All send the same requests: those of a client of each kind by a bare script, and the same through the kit. */
export type LeanScripts = Record<
  'bare' | 'bareUnread' | 'bareAsync' | 'alone' | 'unread' | 'request',
  MeasuredScript
>

/** Writes the scripts into the folder, and answers the file of each. */
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
  // As smoke does with its scenario.
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

/** As smoke writes it: every world with its wallets. */
function configFor(ready: LeanReady, url: string): ScenarioConfig {
  const target: Target = {
    profile: { ...ready.profile, baseUrl: url, control: null },
    wallets: [...ready.wallets],
    apiTokens: [...ready.apiTokens],
    controlToken: null,
  }
  const worlds = Object.fromEntries(WORLD_NAMES.map((name) => [name, target])) as ScenarioConfig['worlds'] // as: all names
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

/** The same tags and the same system tags: what is measured is the kit, not its choice of tags. */
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
