import { parse } from 'node:path'
import { isLoopback, shownAddress } from '../../contract/addresses.ts'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { Mix } from '../../contract/mix.ts'
import type { Profile } from '../../contract/profile.ts'
import type { OfferedLoad, Target } from '../../contract/scenario-config.ts'
import { type K6Out, mustHoldNoSecret, parseK6Out, shownSpec, writesFile } from '../k6/k6-args.ts'
import { type HeldLoadPlan, type HoldOptions, planHeldLoad, vusFor } from '../load/plan-load.ts'
import { RESULTS_FOLDER } from './manifests/manifest-parts.ts'

/** What `k8s render` and `k8s run` have in common. */
export type ClusterOptions = Omit<
  HoldOptions,
  'world' | 'choices' | 'mutant' | 'target' | 'instances' | 'reach'
> &
  Omit<ClusterChoices, 'namespace' | 'imagePullSecret' | 'starterImage' | 'separate' | 'memoryBytes'> & {
    target: string
    namespace?: string
    imagePullSecret?: string
    starterImage?: string
    separate?: true
    /** Left out: as much as the VUs take. */
    memoryBytes?: number
  }

/**
 * Checks what a load in a cluster was asked for; asks neither cluster nor target. Throws a BreakwaterError (usage) that names the
 * option or the file.
 */
export async function planClusterLoad(options: ClusterOptions): Promise<ClusterLoadPlan> {
  const { parallelism, results, maxVus } = options
  if (parallelism > maxVus) {
    throw new BreakwaterError(`--parallelism ${parallelism}: --max-vus ${maxVus} is less than one VU each`, {
      hint: 'Take fewer runners, or allow more VUs.',
    })
  }
  const k6Outs = (options.k6Out ?? []).map((spec) => outInPod(spec, results))
  const { k6Out: _, ...held } = options
  const plan = await planHeldLoad({
    ...held,
    // Of a stub, which is none of this.
    world: 'tiny',
    choices: 'plain',
    instances: parallelism,
    reach: false,
  })
  if (plan.target === null)
    throw new BreakwaterError('--target is missing: runners load no stub of their own')
  mustBeElsewhere(plan.target.profile, plan.mix)
  const memoryBytes = runnerMemory({
    askedBytes: options.memoryBytes ?? null,
    vusMax: offeredLoadOf({ ...plan, cluster: { parallelism } }).vusMax,
    parallelism,
  })
  const cluster = { ...choicesOf(options), memoryBytes }
  return { ...plan, target: plan.target, k6Outs, cluster }
}

function choicesOf(options: ClusterOptions): Omit<ClusterChoices, 'memoryBytes'> {
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
    separate: options.separate === true,
    cpu,
    operatorNamespace,
    startSeconds,
  }
}

/** What the mix makes use of must not be told by an address that means each pod itself. */
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
      `target profile: ${field}: ${shownAddress(address)}: in a pod, that is the pod itself`,
      {
        hint: 'Give the address by which pods reach it: that of a Service, or of a machine in their network.',
      },
    )
  }
}

/** Arguments of runners are split at spaces, read by a shell, and shown by the cluster to whoever may look. */
const PLAIN = /^[A-Za-z0-9_./:=%+,-]*$/

/** An output as the runners are to have it: what writes files needs a volume that outlives them. */
function outInPod(spec: string, results: ClusterChoices['results']): K6Out {
  const refused = (reason: string, hint: string) =>
    new BreakwaterError(`--k6-out ${shownSpec(spec)}: ${reason}`, { hint })
  mustHoldNoSecret(spec)
  if (!PLAIN.test(spec)) {
    throw refused(
      'expected letters, digits and _ . / : = % + , - alone',
      'What else the output takes can be given in the environment, as its settings (K6_…).',
    )
  }
  const out = parseK6Out(spec, RESULTS_FOLDER)
  if (!writesFile(out)) return out
  if (results.kind !== 'claim') {
    throw refused(
      'writes a file, which would go with the pod',
      'Give the runners a volume: --results claim=NAME; or send samples to a server.',
    )
  }
  if (parse(out.argument ?? '').dir === RESULTS_FOLDER) return out
  throw refused(
    'expected the name of a file, without a folder',
    'It is written into the volume of --results, one for each runner.',
  )
}

const MIB = 2 ** 20
/** What k6 takes once its VUs are made and before they do anything: by itself, and for each of them. Measured. */
const IDLE_MIB = { base: 44, perVu: 0.46 }
/** What it is given for a load: answers under way, sessions, and series that the collector has not taken yet (docs/kubernetes.md). */
const BUSY_MIB = { base: 192, perVu: 1.25 }
const STEP_MIB = 64
const LEAST_MIB = 256

/**
 * The memory of each runner, in bytes: as asked for, or as many VUs as come to it take. Throws a BreakwaterError (usage) where what
 * is asked for is less than the VUs take before the load begins: the kernel would end the runner.
 */
export function runnerMemory(options: {
  /** Null: not asked for. */
  askedBytes: number | null
  /** Of all runners together. */
  vusMax: number
  parallelism: number
}): number {
  const { askedBytes, vusMax, parallelism } = options
  const vus = Math.ceil(vusMax / parallelism)
  const room = Math.ceil((BUSY_MIB.base + BUSY_MIB.perVu * vus) / STEP_MIB) * STEP_MIB
  const fitting = Math.max(LEAST_MIB, room)
  if (askedBytes === null) return fitting * MIB
  if (askedBytes >= (IDLE_MIB.base + IDLE_MIB.perVu * vus) * MIB) return askedBytes
  throw new BreakwaterError(
    `--memory ${Math.floor(askedBytes / MIB)}Mi: the ${vus} VUs of each runner take more before they do anything`,
    { hint: `They fit into ${fitting}Mi; or take more runners (--parallelism), or fewer VUs (--max-vus).` },
  )
}

/** A rate that runners in a Kubernetes cluster hold together. */
export type ClusterLoadPlan = HeldLoadPlan & { target: Target; cluster: ClusterChoices }

/** How the cluster makes it. */
export type ClusterChoices = {
  /** Of the TestRun, and of what stands beside it: a DNS label, at most 40 characters. */
  name: string
  /** Null: that of the kubeconfig's context. */
  namespace: string | null
  /** Runners: each makes an equal segment of the load. */
  parallelism: number
  image: string
  imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** A Secret of the namespace, by which the images may be pulled; null: none. */
  imagePullSecret: string | null
  /** Starts the runners: anything with a shell and curl. Null: the operator's own. */
  starterImage: string | null
  /** Where the runners find the script: in a ConfigMap made for this run, or in the image. */
  script: 'configmap' | 'image'
  results: ResultsPlace
  /** Whether each runner must have a node of its own. */
  separate: boolean
  /** Of each runner, requested and its limit: cores, and bytes. */
  cpu: number
  memoryBytes: number
  /** Where the operator lives: it alone may speak to the runners. */
  operatorNamespace: string
  /** How long pods may take until all runners have begun. */
  startSeconds: number
}

/**
 * Where runners leave what they measure. `pod`: they push it to a collector in a pod of its own; `claim`: they write to a volume
 * that all of them can mount, which that pod mounts too; `here`: they push it to a collector in this process, at an address
 * of this machine.
 */
export type ResultsPlace =
  | { kind: 'pod' }
  | { kind: 'claim'; claim: string }
  | { kind: 'here'; host: string; port: number }

/** The one load that all runners offer together, each its segment of it. */
export function offeredLoadOf(
  plan: Pick<ClusterLoadPlan, 'heldLoad' | 'mix' | 'slo' | 'vusMax'> & {
    cluster: Pick<ClusterChoices, 'parallelism'>
  },
): OfferedLoad {
  const { heldLoad, mix, slo, vusMax, cluster } = plan
  const { rate, warmUpSeconds, seconds } = heldLoad
  return {
    stages: [{ seconds: warmUpSeconds + seconds, rate }],
    rateFrom: rate,
    vusMax: Math.max(cluster.parallelism, vusFor({ mix, slo, rate, vusLimit: vusMax })),
    instances: cluster.parallelism,
  }
}
