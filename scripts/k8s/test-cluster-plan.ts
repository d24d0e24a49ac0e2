import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { profileSchema, type Wallet } from '../../contract/profile.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import type { ManifestParts } from './manifests/manifest-parts.ts'
import { type ClusterLoadPlan, type ClusterOptions, planClusterLoad } from './plan-cluster-load.ts'
import { buildRunRecord } from './run-record.ts'

const GIVEN_PROFILE = {
  name: 'staging',
  baseUrl: 'http://exchange.example/api',
  wsUrl: 'ws://exchange.example:8081',
  allow: { load: true, mutations: true },
}

/** Plans from options, with a profile file that is deleted afterwards. */
export async function plannedLoad(
  options: Partial<ClusterOptions> & {
    profile?: object
    wallets?: readonly Wallet[]
    env?: NodeJS.ProcessEnv
  } = {},
): Promise<ClusterLoadPlan> {
  const { profile = {}, wallets, env = {}, ...others } = options
  const cwd = mkdtempSync(join(tmpdir(), 'breakwater-plan-'))
  try {
    const given = {
      ...GIVEN_PROFILE,
      ...(wallets && { credentials: { wallets: 'wallets.json' } }),
      ...profile,
    }
    writeFileSync(join(cwd, 'profile.json'), JSON.stringify(given))
    if (wallets) writeFileSync(join(cwd, 'wallets.json'), JSON.stringify(wallets), { mode: 0o600 })
    return await planClusterLoad({
      io: { ...writtenIo().io, argv: ['k8s', 'run'], cwd, env },
      target: 'profile.json',
      confirm: [new URL(profileSchema.parse(given).baseUrl).hostname],
      mix: 'reads',
      arrivals: 'even',
      seed: 7,
      rate: 100,
      duration: 30,
      warmUp: 2,
      maxVus: 2000,
      name: 'evening',
      parallelism: 3,
      image: 'registry.example/breakwater:1',
      imagePullPolicy: 'IfNotPresent',
      script: 'configmap',
      results: { kind: 'pod' },
      cpu: 1,
      memoryBytes: 512 * 2 ** 20,
      operatorNamespace: 'k6-operator-system',
      startSeconds: 120,
      ...others,
    })
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

export function manifestParts(plan: ClusterLoadPlan): ManifestParts {
  return {
    collectorUrl: 'http://evening-results:8090',
    token: 'the-token-of-the-collector',
    namespace: null,
    runRecord: buildRunRecord(plan, { startedAt: '2026-01-02T03:04:05.000Z' }),
    script: 'export default () => {}\n',
    ca: null,
    settings: {},
  }
}
