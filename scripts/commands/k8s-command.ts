import { isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Io } from '../io.ts'
import type { ClusterOptions, ResultsPlace } from '../k8s/plan-cluster-load.ts'
import {
  address,
  baselineOptions,
  constantRateOptions,
  type Done,
  decimal,
  durationOption,
  GROUPS,
  k6OutOption,
  maxVusOption,
  mixOptions,
  mutantOption,
  seed,
  stubOptions,
  wholeNumber,
} from './options.ts'

export function k8sCommand(k8s: Command, io: Io, done: Done): void {
  k8s.description("Generate load from many pods of a Kubernetes cluster with Grafana's k6-operator")
  k8sRunCommand(k8s.command('run'), io, done)
  k8sCollectCommand(k8s.command('collect'), io, done)
  k8sRenderCommand(k8s.command('render'), io, done)
  k8sStubCommand(k8s.command('stub'), io, done)
  k8sCollectorCommand(k8s.command('collector', { hidden: true }), io, done)
}

function k8sCollectorCommand(collector: Command, io: Io, done: Done): void {
  collector
    .description('Receive the measurements of runners during a load; `k8s run` starts this in a pod')
    .option('--host <address>', 'Bind to this address, such as 0.0.0.0 in a container', address, '127.0.0.1')
    .option(
      '--port <port>',
      'Listen on this port',
      wholeNumber(65_535, { what: 'a port', minShown: '0 (any)' }),
      8090,
    )
    .requiredOption('--dir <dir>', 'Store files in this folder, created if missing')
    .requiredOption('--token-file <file>', 'Read the token that clients must send from this file')
    .option('--json', 'Print the address as one line of JSON')
    .action(async (options) =>
      done(await (await import('./k8s-collector.ts')).runK8sCollector({ ...options, io }), 'server'),
    )
}

function k8sRunCommand(run: Command, io: Io, done: Done): void {
  run.description('Run a load test at one rate from many pods, collect the results, and judge the whole')
  clusterOptions(run, { named: 'load-<time>' })
    .option(
      '--namespace <name>',
      "Create the run in this namespace (default: the namespace of kubectl's context)",
      kubeName,
    )
    .option('--no-cleanup', 'Keep all objects in the cluster after the run')
    .optionsGroup(GROUPS.output)
    .option('-o, --output <dir>', 'Write the run to this folder (default: a new folder in runs/)')
    .option('--json', 'Print report.json instead of the table')
  baselineOptions(run).action(async (options) =>
    done(await (await import('./k8s.ts')).runK8sRun({ ...clusterChoices(options), io })),
  )
}

function k8sRenderCommand(render: Command, io: Io, done: Done): void {
  render.description(
    'Print the Kubernetes objects of a load as YAML for `kubectl apply --server-side -f -`; they contain secrets',
  )
  clusterOptions(render, { named: 'breakwater' })
    .option('--namespace <name>', 'Set this namespace in each object (default: none)', kubeName)
    .optionsGroup(GROUPS.output)
    .option('--json', 'Print the objects as a Kubernetes List in JSON')
    .action(async (options) =>
      done(await (await import('./k8s.ts')).runK8sRender({ ...clusterChoices(options), io })),
    )
}

function k8sCollectCommand(collect: Command, io: Io, done: Done): void {
  collect
    .description(
      'Collect the results of a run in the cluster and write its report, after `k8s render` or a killed `k8s run`',
    )
    .argument('<name>', 'Name of the TestRun', kubeName)
    .option(
      '--namespace <name>',
      "Look for the run in this namespace (default: the namespace of kubectl's context)",
      kubeName,
    )
    .addOption(startTimeoutOption('Wait this long, from now, for the pods to start'))
    .option('--delete', 'Delete the run in the cluster after its report is written')
    .option('-o, --output <dir>', 'Write the run to this folder (default: a new folder in runs/)')
    .option('--json', 'Print report.json instead of the table')
    .action(async (name, options) =>
      done(await (await import('./k8s.ts')).runK8sCollect({ ...options, name, io })),
    )
}

function k8sStubCommand(stub: Command, io: Io, done: Done): void {
  stub.description('Print the Kubernetes objects of a stub exchange as YAML for `kubectl apply -f -`')
  stubOptions(stub)
    .addOption(mutantOption())
    .option(
      '--faults <plan>',
      'Inject faults from the start with this plan, a name from fixtures/faults or a .json file (default: no faults)',
    )
    .option(
      '--service-rate <rate>',
      'Queue REST requests and serve this many per second (default: no queue)',
      wholeNumber(100_000, { min: 1 }),
    )
  pullOptions(stub, { used: 'Run this image, which contains Breakwater' })
    .option('--name <name>', 'Name the objects', runName, 'stub')
    .option('--namespace <name>', 'Set this namespace in each object (default: none)', kubeName)
    .option(
      '--cluster-ip <address>',
      'Set the cluster IP of the Service, for clusters without DNS (default: assigned by the cluster)',
      serviceAddress,
    )
    .option('--cpu <cores>', 'Set the CPU of the pod, in cores', decimal('cores', { min: 0.05, max: 256 }), 1)
    .option('--memory <size>', 'Set the memory of the pod, such as 2Gi (default: 512Mi)', memorySize)
    .optionsGroup(GROUPS.output)
    .option('--profile <file>', 'Write a target profile for this stub to this file, for `k8s run`')
    .option('--json', 'Print the objects as a Kubernetes List in JSON')
    .action(async ({ memory, ...options }) =>
      done(
        await (await import('./k8s.ts')).runK8sStub({
          ...options,
          memoryBytes: memory ?? MEMORY_BYTES,
          io,
        }),
      ),
    )
}

const MEMORY_BYTES = 512 * 2 ** 20

function serviceAddress(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError("Expected an IP address in the cluster's Service range.")
  return text
}

/** Options of `k8s run` and `k8s render`; `named` is the default name of the TestRun in help. */
function clusterOptions(command: Command, { named }: { named: string }): Command {
  mixOptions(
    command
      .optionsGroup(GROUPS.target)
      .requiredOption(
        '--target <file>',
        'Test the target of this profile, with addresses that pods can reach',
      ),
  )
  k6OutOption(maxVusOption(constantRateOptions(command)))
    .option('--seed <number>', 'Set the seed of all random decisions of the clients', seed, 7)
    .optionsGroup(GROUPS.criteria)
    .option('--strict', 'Exit with 4 if an objective is inconclusive')
  return imageOptions(runnerOptions(command))
    .option('--name <name>', `Name the TestRun and its objects (default: ${named})`, runName)
    .option(
      '--operator-namespace <name>',
      'Look for k6-operator in this namespace',
      kubeName,
      'k6-operator-system',
    )
    .addOption(startTimeoutOption('Wait this long for all runners to start'))
}

function startTimeoutOption(description: string): Option {
  return durationOption('--start-timeout', description, { min: '5s', max: '1h', default: '2m' })
}

function runnerOptions(command: Command): Command {
  return command
    .optionsGroup(CLUSTER_GROUP)
    .option('--parallelism <number>', 'Start this many runner pods', wholeNumber(1000, { min: 1 }), 2)
    .option(
      '--cpu <cores>',
      'Set the CPU of each runner, in cores',
      decimal('cores', { min: 0.05, max: 256 }),
      1,
    )
    .option(
      '--memory <size>',
      'Set the memory of each runner, such as 2Gi (default: 192Mi plus 1.25Mi per VU)',
      memorySize,
    )
    .option('--one-runner-per-node', 'Schedule each runner on a separate node')
    .option(
      '--results <place>',
      'Store results in a pod (pod), on a volume that all runners can mount (claim=NAME), or in this process at an address that pods can reach (here=ADDRESS[:PORT]) (default: pod)',
      resultsPlace,
    )
    .addOption(
      new Option('--script <source>', 'Take the script from a ConfigMap made for this run, or from the image')
        .choices(['configmap', 'image'])
        .default('configmap'),
    )
}

function imageOptions(command: Command): Command {
  return pullOptions(command, {
    used: 'Run this image, which contains Breakwater and its k6, in all pods',
  }).option(
    '--starter-image <ref>',
    "Start the runners with this image, which needs sh and curl (default: the operator's own)",
    imageReference,
  )
}

function pullOptions(command: Command, { used }: { used: string }): Command {
  return command
    .optionsGroup(CLUSTER_GROUP)
    .requiredOption('--image <ref>', used, imageReference)
    .addOption(
      new Option('--image-pull-policy <policy>', 'Set the pull policy of all images')
        .choices(['Always', 'IfNotPresent', 'Never'])
        .default('IfNotPresent'),
    )
    .option('--image-pull-secret <name>', 'Pull images with the credentials of this Secret', kubeName)
}

const CLUSTER_GROUP = 'Cluster:'

type Choices = Omit<ClusterOptions, 'io' | 'name'> & { name?: string }
type Parsed = Omit<Choices, 'memoryBytes' | 'results' | 'startSeconds'> & {
  memory?: number
  results?: ResultsPlace
  startTimeout: number
}

function clusterChoices(parsed: Parsed): Choices {
  const { memory, results = { kind: 'pod' }, startTimeout, ...others } = parsed
  return {
    ...others,
    ...(memory !== undefined && { memoryBytes: memory }),
    results,
    startSeconds: startTimeout,
  }
}

const MIB = 2 ** 20
const UNITS: Readonly<Record<string, number>> = { Mi: MIB, Gi: 2 ** 30, M: 1e6, G: 1e9 }

/** Parses a size into bytes: at least 64 MiB, which k6 takes without any VU. */
export function memorySize(text: string): number {
  const [, amount = '', unit = ''] = /^([0-9]{1,7}(?:\.[0-9]{1,3})?)(Mi|Gi|M|G)$/.exec(text) ?? []
  const bytes = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN))
  if (!(bytes >= 64 * MIB && bytes <= 2 ** 40))
    throw new InvalidArgumentError('Expected a size from 64Mi to 1024Gi, in Mi, Gi, M or G.')
  return bytes
}

/** The name of a TestRun: short, as it is the prefix of other names. */
export function runName(text: string): string {
  if (/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError(
    'Expected at most 40 lowercase letters, digits and hyphens, with a letter first and no hyphen at the end.',
  )
}

/** The name of an object that exists in the cluster. */
export function kubeName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('Expected a Kubernetes name: lowercase letters, digits, hyphens and dots.')
}

/** An image name with a tag or digest. */
export function imageReference(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,400}$/.test(text)) return text
  throw new InvalidArgumentError('Expected an image, such as registry.example/breakwater:1.')
}

export function resultsPlace(text: string): ResultsPlace {
  if (text === 'pod') return { kind: 'pod' }
  const [, claim] = /^claim=(.+)$/.exec(text) ?? []
  if (claim !== undefined) return { kind: 'claim', claim: kubeName(claim) }
  const here = parseHere(text)
  if (here !== undefined) return { kind: 'here', ...here }
  throw new InvalidArgumentError(
    'Expected pod, claim=NAME, or here=ADDRESS[:PORT] with an IP address such as 10.0.0.5 or [fd00::5].',
  )
}

const COLLECTOR_PORT = 8090

function parseHere(text: string): { host: string; port: number } | undefined {
  const [, six, four, digits] = /^here=(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? []
  const host = six ?? four ?? ''
  const port = digits === undefined ? COLLECTOR_PORT : Number(digits)
  const isAddress = isIP(host) === (six === undefined ? 4 : 6)
  return isAddress && port >= 1 && port <= 65_535 ? { host, port } : undefined
}
