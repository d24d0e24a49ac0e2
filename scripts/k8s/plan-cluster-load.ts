import { parse } from 'node:path'
import { isLoopback, shownAddress } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import type { Profile } from '../../contract/profile.ts'
import type { OfferedLoad, Target } from '../../contract/scenario-config.ts'
import { type K6Out, parseK6Out, requireNoSecret, shownSpec, writesFile } from '../k6/k6-args.ts'
import { NAMED_ARRIVALS } from '../load/load-arrivals.ts'
import {
  type ConstantLoadOptions,
  type ConstantLoadPlan,
  type LoadOptions,
  type LoadPlan,
  planConstantLoad,
  vusFor,
} from '../load/plan-load.ts'
import { RESULTS_FOLDER } from './manifests/manifest-parts.ts'

/** Options of the runners and of their place. */
export type RunnerOptions = Omit<
  ClusterChoices,
  'namespace' | 'imagePullSecret' | 'starterImage' | 'separate' | 'memoryBytes'
> & {
  namespace?: string
  imagePullSecret?: string
  starterImage?: string
  oneRunnerPerNode?: true
  memoryBytes?: number
}

export type ClusterOptions = Omit<
  ConstantLoadOptions,
  'world' | 'choices' | 'mutant' | 'target' | 'instances' | 'reach'
> &
  RunnerOptions & { target: string }

/**
 * Validates the options without contacting the cluster or the target. Throws a BreakwaterError (usage) that names the
 * option or the file.
 */
export function planClusterLoad(options: ClusterOptions): Promise<ClusterLoadPlan> {
  return planInCluster(options, {
    plan: planConstantLoad,
    vusMax: (plan) => buildOfferedLoad({ ...plan, cluster: options }).vusMax,
  })
}

/** Plans a load of this machine for runners instead. `vusMax`: of all runners together. Throws like `planClusterLoad`. */
export async function planInCluster<Options extends LoadOptions, Planned extends LoadPlan>(
  options: Omit<Options, 'world' | 'choices' | 'instances' | 'reach'> & RunnerOptions,
  {
    plan: planLocal,
    vusMax,
  }: { plan: (options: Options) => Promise<Planned>; vusMax: (plan: Planned) => number },
): Promise<Planned & ClusterPlan> {
  const { parallelism, results, maxVus } = options
  if (parallelism > maxVus) {
    throw new BreakwaterError(
      `--parallelism ${parallelism}: --max-vus ${maxVus} gives less than one VU each`,
      {
        hint: 'Use fewer runners, or allow more VUs.',
      },
    )
  }
  mustBeNoFile(options.arrivals)
  const k6Outs = (options.k6Out ?? []).map((spec) => outInPod(spec, results))
  const { k6Out: _, ...held } = options
  const plan = await planLocal({
    ...held,
    // Stub options do not apply.
    world: 'tiny',
    choices: 'default',
    instances: parallelism,
    reach: false,
  } as unknown as Options) // as: the rest of the options, and those above
  const { target } = plan
  if (target === null)
    throw new BreakwaterError('--target is required: runners do not start a stub', {
      hint: '`breakwater k8s stub --profile FILE` deploys a stub and writes its profile.',
    })
  mustBeElsewhere(target.profile, plan.mix)
  const memoryBytes = runnerMemory({
    requestedBytes: options.memoryBytes ?? null,
    vusMax: vusMax(plan),
    parallelism,
  })
  return { ...plan, target, k6Outs, cluster: { ...planChoices(options), memoryBytes } }
}

function mustBeNoFile(arrivals: string): void {
  if (NAMED_ARRIVALS.some((kind) => kind === arrivals)) return
  throw new BreakwaterError(`--arrivals ${arrivals}: runners cannot read files of this machine`, {
    hint: 'Use even or poisson in a cluster.',
  })
}

function planChoices(options: RunnerOptions): Omit<ClusterChoices, 'memoryBytes'> {
  const { name, parallelism, image, imagePullPolicy, script, results } = options
  const { cpu, operatorNamespace, startSeconds } = options
  return {
    name,
    namespace: options.namespace ?? null,
    parallelism,
    image,
    imagePullPolicy,
    imagePullSecret: options.imagePullSecret ?? null,
    starterImage: options.starterImage ?? null,
    script,
    results,
    separate: options.oneRunnerPerNode === true,
    cpu,
    operatorNamespace,
    startSeconds,
  }
}

/** Rejects addresses that mean the pod itself, if the mix uses them. */
function mustBeElsewhere(profile: Profile, mix: Mix): void {
  const { baseUrl, wsUrl, credentials } = profile
  const needed = {
    baseUrl,
    ...(mix.clients.some(({ feed }) => feed !== null) && { wsUrl }),
    ...(credentials.signer !== null &&
      mix.clients.some(({ credential }) => credential === 'session') && {
        'credentials.signer': credentials.signer,
      }),
  }
  for (const [field, address] of Object.entries(needed)) {
    if (!isLoopback(address)) continue
    throw new BreakwaterError(
      `target profile: ${field}: ${shownAddress(address)}: in a pod, this address is the pod itself`,
      {
        hint: 'Use an address that pods can reach: a Service, or a machine in their network.',
      },
    )
  }
}

/** Runner arguments are split at spaces, read by a shell and visible in the cluster. */
const PLAIN = /^[A-Za-z0-9_./:=%+,-]*$/

/** Adapts a k6 output for runners: one that writes files needs a volume that outlives the pods. */
function outInPod(spec: string, results: ClusterChoices['results']): K6Out {
  const refused = (reason: string, hint: string) =>
    new BreakwaterError(`--k6-out ${shownSpec(spec)}: ${reason}`, { hint })
  requireNoSecret(spec)
  if (!PLAIN.test(spec)) {
    throw refused(
      'expected only letters, digits and _ . / : = % + , -',
      'Pass other values in the environment, as settings of the output (K6_…).',
    )
  }
  const out = parseK6Out(spec, RESULTS_FOLDER)
  if (!writesFile(out)) return out
  if (results.kind !== 'claim') {
    throw refused(
      'writes a file, which is deleted with the pod',
      'Give the runners a volume (--results claim=NAME), or send samples to a server.',
    )
  }
  if (parse(out.argument ?? '').dir === RESULTS_FOLDER) return out
  throw refused(
    'expected a file name without a folder',
    'It is written to the volume of --results, one file per runner.',
  )
}

const MIB = 2 ** 20
/** Measured: k6's memory before the load, base and per VU. */
const IDLE_MIB = { base: 44, perVu: 0.46 }
/** Allowance during a load: responses in flight, sessions and series not yet pushed (docs/guides/kubernetes.md). */
const BUSY_MIB = { base: 192, perVu: 1.25 }
const STEP_MIB = 64
const LEAST_MIB = 256

/**
 * Memory of each runner in bytes: the requested size, or enough for its VUs. Throws a BreakwaterError (usage) if the
 * requested size does not even fit idle VUs, since the kernel would kill the runner.
 */
export function runnerMemory(options: {
  requestedBytes: number | null
  vusMax: number
  parallelism: number
}): number {
  const { requestedBytes, vusMax, parallelism } = options
  const vus = Math.ceil(vusMax / parallelism)
  const room = Math.ceil((BUSY_MIB.base + BUSY_MIB.perVu * vus) / STEP_MIB) * STEP_MIB
  const fitting = Math.max(LEAST_MIB, room)
  if (requestedBytes === null) return fitting * MIB
  if (requestedBytes >= (IDLE_MIB.base + IDLE_MIB.perVu * vus) * MIB) return requestedBytes
  throw new BreakwaterError(
    `--memory ${Math.floor(requestedBytes / MIB)}Mi: the ${vus} VUs of each runner need more memory even when idle`,
    {
      hint: `They fit into ${fitting}Mi. Otherwise use more runners (--parallelism) or fewer VUs (--max-vus).`,
    },
  )
}

/** A load or a search whose runners are in a cluster. */
export type ClusterPlan = LoadPlan & { target: Target; cluster: ClusterChoices }

export type ClusterLoadPlan = ConstantLoadPlan & ClusterPlan

export type ClusterChoices = {
  /** Name of the TestRun and base of the other names: a DNS label, at most 40 characters. */
  name: string
  namespace: string | null
  parallelism: number
  image: string
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  imagePullSecret: string | null
  /** Image with a shell and curl that starts the runners. Null: the operator's own. */
  starterImage: string | null
  /** Source of the script: a ConfigMap of this run, or the image. */
  script: 'configmap' | 'image'
  results: ResultsPlace
  separate: boolean
  /** Per runner, as request and limit: cores and bytes. */
  cpu: number
  memoryBytes: number
  /** Only this namespace may reach the runners. */
  operatorNamespace: string
  startSeconds: number
}

/**
 * Where runners store measurements. `pod`: they push to a collector in its own pod; `claim`: they write to a volume
 * that all of them and that pod mount; `here`: they push to a collector in this process.
 */
export type ResultsPlace =
  | { kind: 'pod' }
  | { kind: 'claim'; claim: string }
  | { kind: 'here'; host: string; port: number }

export function buildOfferedLoad(
  plan: Pick<ClusterLoadPlan, 'constantLoad' | 'mix' | 'arrivals' | 'seed' | 'slo' | 'vusMax'> & {
    cluster: Pick<ClusterChoices, 'parallelism'>
  },
): OfferedLoad {
  const { constantLoad, mix, arrivals, seed, slo, vusMax, cluster } = plan
  const { rate, warmUpSeconds, seconds } = constantLoad
  return {
    stages: [{ seconds: warmUpSeconds + seconds, rate }],
    rateFrom: rate,
    arrivals: { kind: arrivals.kind, file: arrivals.file },
    seed,
    vusMax: Math.max(cluster.parallelism, vusFor({ mix, slo, rate, vusLimit: vusMax })),
    instances: cluster.parallelism,
  }
}

/** Unique to the second. */
export function nameAt(prefix: string, now: Date): string {
  return `${prefix}-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase()}`
}
