import { randomBytes } from 'node:crypto'
import { namesAFile } from '../../contract/json-file.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { givenControlToken } from '../control-api.ts'
import { loadFaults, throwMisfit } from '../given-files.ts'
import type { Io } from '../io.ts'
import { findMutant } from '../runs/plan.ts'
import type { ClusterChoices } from './plan-cluster-load.ts'

/** What `k8s stub` is asked for. */
export type StubInClusterOptions = Pick<
  StubPlan,
  'name' | 'image' | 'imagePullPolicy' | 'cpu' | 'memoryBytes'
> & {
  io: Io
  namespace?: string
  imagePullSecret?: string
  world: string
  seed: number
  choices: ChoiceSetName
  mutant?: string
  /** A fault plan: a name, or a file. */
  faults?: string
  serviceRate?: number
  clusterIp?: string
}

/** The stub as it will be in the cluster: its wallets and API tokens are those of its seed, wherever it runs. */
export type PlannedStub = { plan: StubPlan; stub: Pick<Stub, 'profile' | 'wallets' | 'apiTokens'> }

/**
 * Checks what a stub in a cluster was asked for, by starting it here for a moment; asks no cluster. Throws a BreakwaterError (usage) for
 * a bad option or file.
 */
export async function planStub(options: StubInClusterOptions): Promise<PlannedStub> {
  const { io, name, image, imagePullPolicy, cpu, memoryBytes, seed, choices } = options
  const world = loadWorldFixture(options.world)
  const mutant = findMutant(options.mutant)?.name ?? null
  const faults = options.faults === undefined ? undefined : await loadFaults(options.faults, io.cwd)
  const ownWorld = namesAFile(options.world)
  const plan: StubPlan = {
    name,
    namespace: options.namespace ?? null,
    image,
    imagePullPolicy,
    imagePullSecret: options.imagePullSecret ?? null,
    cpu,
    memoryBytes,
    world: ownWorld ? WORLD_FILE : options.world,
    seed,
    choices,
    mutant,
    serviceRate: options.serviceRate ?? null,
    clusterIp: options.clusterIp ?? null,
    files: {
      ...(ownWorld && { [WORLD_FILE]: JSON.stringify(world) }),
      ...(faults && { [FAULTS_FILE]: JSON.stringify(faults) }),
    },
    controlToken: givenControlToken(io.env) ?? randomBytes(32).toString('base64url'),
  }
  const stub = await startStub({
    // Neither credentials nor what a fault may name hang on the world, and others take longer to begin.
    world: 'tiny',
    seed,
    choices,
    mutant,
    ...(faults && { faults }),
    rateLimit: NO_RATE_LIMIT,
    observer: false,
    pace: 'manual',
  }).catch((error: unknown) => throwMisfit(error, options.faults))
  await stub.close()
  return { plan, stub }
}

/** A stub for loads in a cluster, checked. */
export type StubPlan = Pick<
  ClusterChoices,
  'name' | 'namespace' | 'image' | 'imagePullPolicy' | 'imagePullSecret' | 'cpu' | 'memoryBytes'
> & {
  /** A name of fixtures/worlds, or that of one of `files`. */
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: MutantName | null
  /** REST requests a second that it has time for; null: as many as it can. */
  serviceRate: number | null
  /** Of its Service; null: as the cluster chooses. */
  clusterIp: string | null
  /** What it reads at its start, by name: a world of one's own, a fault plan. */
  files: Readonly<Record<string, string>>
  controlToken: string
}

/** Names of its files. */
export const WORLD_FILE = 'world.json'
export const FAULTS_FILE = 'faults.json'

/** Its listeners, in its pod and of its Service. The control API is the pod's alone: `kubectl port-forward` reaches it. */
export const STUB_PORTS = { rest: 8080, feed: 8081, control: 8082 } as const
