import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { profileSchema, type Wallet } from '../../contract/profile.ts'
import { writtenIo } from '../../tools/test/written-io.ts'
import {
  type ClusterCapacityOptions,
  type ClusterCapacityPlan,
  planClusterCapacity,
} from '../commands/capacity-k8s.ts'
import type { Io } from '../io.ts'
import type { ManifestParts } from './manifests/manifest-parts.ts'
import { type ClusterLoadPlan, type ClusterOptions, planClusterLoad } from './plan-cluster-load.ts'
import { buildRunRecord } from './run-record.ts'

const GIVEN_PROFILE = {
  name: 'staging',
  baseUrl: 'http://exchange.example/api',
  wsUrl: 'ws://exchange.example:8081',
  allow: { load: true, mutations: true },
}

type Given<Options> = Partial<Options> & {
  profile?: object
  wallets?: readonly Wallet[]
  env?: NodeJS.ProcessEnv
}

/** Plans from options, with a profile file that is deleted afterwards. */
export function plannedLoad(options: Given<ClusterOptions> = {}): Promise<ClusterLoadPlan> {
  return withProfile(options, (shared) =>
    planClusterLoad({
      ...shared,
      rate: 100,
      duration: 30,
      warmUp: 2,
      memoryBytes: 512 * 2 ** 20,
      ...options,
    }),
  )
}

/** Like `plannedLoad`, for a search. */
export function plannedSearch(options: Given<ClusterCapacityOptions> = {}): Promise<ClusterCapacityPlan> {
  return withProfile(options, (shared) => planClusterCapacity({ axis: 'rate', ...shared, ...options }))
}

async function withProfile<Plan>(
  { profile = {}, wallets, env = {} }: Given<object>,
  use: (shared: typeof SHARED & { io: Io; target: string; confirm: string[] }) => Promise<Plan>,
): Promise<Plan> {
  const cwd = mkdtempSync(join(tmpdir(), 'breakwater-plan-'))
  try {
    const given = {
      ...GIVEN_PROFILE,
      ...(wallets && { credentials: { wallets: 'wallets.json' } }),
      ...profile,
    }
    writeFileSync(join(cwd, 'profile.json'), JSON.stringify(given))
    if (wallets) writeFileSync(join(cwd, 'wallets.json'), JSON.stringify(wallets), { mode: 0o600 })
    return await use({
      ...SHARED,
      io: { ...writtenIo().io, argv: ['k8s', 'run'], cwd, env },
      target: 'profile.json',
      confirm: [new URL(profileSchema.parse(given).baseUrl).hostname],
    })
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

const SHARED = {
  mix: 'reads',
  arrivals: 'even',
  seed: 7,
  maxVus: 2000,
  name: 'evening',
  parallelism: 3,
  image: 'registry.example/breakwater:1',
  imagePullPolicy: 'IfNotPresent' as const,
  script: 'configmap' as const,
  results: { kind: 'pod' as const },
  cpu: 1,
  operatorNamespace: 'k6-operator-system',
  startSeconds: 120,
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
