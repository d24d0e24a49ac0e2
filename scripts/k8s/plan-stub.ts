import { randomBytes } from 'node:crypto'
import { namesAFile } from '../../contract/json-file.ts'
import type { ChoiceSetName } from '../../contract/scenario-config.ts'
import { NO_RATE_LIMIT } from '../../simulator/exchange/access/rate-limit.ts'
import type { MutantName } from '../../simulator/mutants/mutants.ts'
import { type Stub, startStub } from '../../simulator/stub.ts'
import { loadWorldFixture } from '../../simulator/world-fixture.ts'
import { readNewStubToken } from '../control-api.ts'
import { loadFaults, throwMisfit } from '../given-files.ts'
import type { Io } from '../io.ts'
import { findMutant } from '../runs/plan.ts'
import type { ClusterChoices } from './plan-cluster-load.ts'

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
  faults?: string
  serviceRate?: number
  clusterIp?: string
}

/** Wallets and API tokens depend only on the seed, so a local stub has the same ones. */
export type PlannedStub = { plan: StubPlan; stub: Pick<Stub, 'profile' | 'wallets' | 'apiTokens'> }

/**
 * Validates the options by briefly starting the stub here; does not contact the cluster. Throws a BreakwaterError
 * (usage) for a bad option or file.
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
    controlToken: readNewStubToken(io.env) ?? randomBytes(32).toString('base64url'),
  }
  const stub = await startStub({
    // Credentials and fault targets do not depend on the world, and the others start more slowly.
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

export type StubPlan = Pick<
  ClusterChoices,
  'name' | 'namespace' | 'image' | 'imagePullPolicy' | 'imagePullSecret' | 'cpu' | 'memoryBytes'
> & {
  /** A name in fixtures/worlds, or one of `files`. */
  world: string
  seed: number
  choices: ChoiceSetName
  mutant: MutantName | null
  serviceRate: number | null
  clusterIp: string | null
  /** Files read at the start, by name: a custom world, a fault plan. */
  files: Readonly<Record<string, string>>
  controlToken: string
}

export const WORLD_FILE = 'world.json'
export const FAULTS_FILE = 'faults.json'

/** Listeners of the pod and its Service. The control API is only in the pod: use `kubectl port-forward`. */
export const STUB_PORTS = { rest: 8080, feed: 8081, control: 8082 } as const
