import { isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Io } from '../io.ts'
import type { ClusterOptions, ResultsPlace } from '../k8s/plan-cluster-load.ts'
import {
  address,
  baselineOptions,
  type Done,
  decimal,
  heldRateOptions,
  k6OutOption,
  maxVusOption,
  mixOptions,
  mutantOption,
  seed,
  stubOptions,
  wholeNumber,
} from './options.ts'

/** The subcommands of `breakwater k8s`. */
export function k8sCommand(k8s: Command, io: Io, done: Done): void {
  k8s.description("a load from many pods of a Kubernetes cluster, by Grafana's k6-operator")
  k8sRunCommand(k8s.command('run'), io, done)
  k8sGatherCommand(k8s.command('gather'), io, done)
  k8sRenderCommand(k8s.command('render'), io, done)
  k8sStubCommand(k8s.command('stub'), io, done)
  k8sCollectCommand(k8s.command('collect'), io, done)
}

/** `breakwater k8s collect`. */
function k8sCollectCommand(collect: Command, io: Io, done: Done): void {
  collect
    .description('take what the runners of a load measure, while they run: `k8s run` starts it in a pod')
    .option('--host <address>', 'where it listens, such as 0.0.0.0 in a container', address, '127.0.0.1')
    .option('--port <port>', 'of it', wholeNumber(65_535, { what: 'a port', minShown: '0 (any)' }), 8090)
    .requiredOption('--dir <dir>', 'the folder that it keeps the files in; made where it is missing')
    .requiredOption('--token-file <file>', 'holds the token that who appends and reads has to name')
    .option('--json', 'print where it is as a JSON object, on one line')
    .action(async (options) =>
      done(await (await import('./k8s-collect.ts')).runK8sCollect({ ...options, io }), 'server'),
    )
}

/** `breakwater k8s run`. */
function k8sRunCommand(run: Command, io: Io, done: Done): void {
  run.description('hold one rate from many pods, gather what they measure, and judge it as a whole')
  clusterOptions(run, { named: 'load-<time>' })
    .option('--namespace <name>', "that it is made in (default: that of kubectl's context)", kubeName)
    .option('--keep', 'leave in the cluster what was made there')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
  baselineOptions(run).action(async (options) =>
    done(await (await import('./k8s.ts')).runK8sRun({ ...clusterChoices(options), io })),
  )
}

/** `breakwater k8s render`. */
function k8sRenderCommand(render: Command, io: Io, done: Done): void {
  render.description(
    'print the objects of a load in a cluster as YAML, for `kubectl apply --server-side -f -`; they hold secrets',
  )
  clusterOptions(render, { named: 'breakwater' })
    .option('--namespace <name>', 'written into each of them (default: none)', kubeName)
    .option('--json', 'print them as a List in JSON')
    .action(async (options) =>
      done(await (await import('./k8s.ts')).runK8sRender({ ...clusterChoices(options), io })),
    )
}

/** `breakwater k8s gather`. */
function k8sGatherCommand(gather: Command, io: Io, done: Done): void {
  gather
    .description(
      'make the report of a run that is in the cluster: `k8s run` was killed, or `k8s render` made it',
    )
    .argument('<name>', 'of its TestRun', kubeName)
    .option('--namespace <name>', "that it is in (default: that of kubectl's context)", kubeName)
    .option(
      '--start-timeout <seconds>',
      'how long its pods may take to begin, from now',
      wholeNumber(3600, { min: 5 }),
      120,
    )
    .option('--delete', 'delete it in the cluster, once its report is written')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
    .action(async (name, options) =>
      done(await (await import('./k8s.ts')).runK8sGather({ ...options, name, io })),
    )
}

/** `breakwater k8s stub`. */
function k8sStubCommand(stub: Command, io: Io, done: Done): void {
  stub.description(
    'print the objects of a stub exchange, a target of loads in a cluster, for `kubectl apply -f -`',
  )
  pullOptions(stubOptions(stub), { used: 'has breakwater' })
    .addOption(mutantOption())
    .option(
      '--faults <plan>',
      'what goes wrong from the start: a plan of fixtures/faults, or a .json file of your own',
    )
    .option(
      '--service-rate <number>',
      'let REST requests wait in a queue that serves so many a second',
      wholeNumber(100_000, { min: 1 }),
    )
    .option('--name <name>', 'of all its objects', runName, 'stub')
    .option('--namespace <name>', 'written into each of them (default: none)', kubeName)
    .option(
      '--cluster-ip <address>',
      'of its Service: its address where the cluster has no DNS',
      serviceAddress,
    )
    .option('--cpu <cores>', 'of its pod', decimal('cores', { min: 0.05, max: 256 }), 1)
    .option('--memory <size>', 'of its pod, such as 2Gi (default: 512Mi)', memorySize)
    .option('--profile <file>', "write that stub's target profile there, for `k8s run`")
    .option('--json', 'print them as a List in JSON')
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
    throw new InvalidArgumentError("Expected an IP address of the cluster's range for Services.")
  return text
}

/** Options of `k8s run` and `k8s render`, in the same words, and what they come to. */
/** What the load is, and how a cluster makes it; `named` says what the TestRun is called where nobody names it. */
function clusterOptions(command: Command, { named }: { named: string }): Command {
  mixOptions(command.requiredOption('--target <file>', 'a target profile, with addresses as pods reach them'))
  k6OutOption(maxVusOption(heldRateOptions(command)))
  command
    .option('--seed <number>', 'of all chance in what clients do', seed, 7)
    .option('--strict', 'exit 4 if an objective is inconclusive')
    .option('--name <name>', `of the TestRun, and of what belongs to it (default: ${named})`, runName)
  return imageOptions(runnerOptions(command))
    .option('--operator-namespace <name>', 'where the operator lives', kubeName, 'k6-operator-system')
    .option(
      '--start-timeout <seconds>',
      'how long pods may take until all runners have begun',
      wholeNumber(3600, { min: 5 }),
      120,
    )
}

function runnerOptions(command: Command): Command {
  return command
    .option('--parallelism <number>', 'runners, each a pod', wholeNumber(1000, { min: 1 }), 2)
    .option('--cpu <cores>', 'of each runner', decimal('cores', { min: 0.05, max: 256 }), 1)
    .option(
      '--memory <size>',
      'of each runner, such as 2Gi (default: as much as its clients take)',
      memorySize,
    )
    .option('--separate', 'give each runner a node of its own')
    .option(
      '--results <place>',
      'keeps what is measured until it is gathered: pod; claim=NAME, a volume that all runners can mount; or here=ADDRESS[:PORT], this process, at an address that they reach (default: pod)',
      resultsPlace,
    )
    .addOption(
      new Option('--script <from>', "where the script comes from: made for the run, or the image's own")
        .choices(['configmap', 'image'])
        .default('configmap'),
    )
}

function imageOptions(command: Command): Command {
  return pullOptions(command, { used: 'has breakwater and its k6: for runners and results' }).option(
    '--starter-image <ref>',
    "starts the runners, by sh and curl (default: the operator's own)",
    imageReference,
  )
}

/** The image of Breakwater, and how a cluster has it. */
function pullOptions(command: Command, { used }: { used: string }): Command {
  return command
    .requiredOption('--image <ref>', used, imageReference)
    .addOption(
      new Option('--image-pull-policy <policy>', 'of all images')
        .choices(['Always', 'IfNotPresent', 'Never'])
        .default('IfNotPresent'),
    )
    .option('--image-pull-secret <name>', 'a Secret by which they are pulled', kubeName)
}

type Choices = Omit<ClusterOptions, 'io' | 'name'> & { name?: string }
type Parsed = Omit<Choices, 'memoryBytes' | 'results' | 'startSeconds'> & {
  memory?: number
  results?: ResultsPlace
  startTimeout: number
}

/** What commander hands on, by the names that the plan has for it. */
function clusterChoices(parsed: Parsed): Choices {
  const { memory, results = { kind: 'pod' }, startTimeout, ...others } = parsed
  return {
    ...others,
    ...(memory !== undefined && { memoryBytes: memory }),
    results,
    startSeconds: startTimeout,
  }
}

/** How values of options about a cluster are read: each throws commander's error with what was expected. */
const MIB = 2 ** 20
const UNITS: Readonly<Record<string, number>> = { Mi: MIB, Gi: 2 ** 30, M: 1e6, G: 1e9 }

/** A size in bytes, of 64 MiB at least: k6 takes as much without any VU. */
export function memorySize(text: string): number {
  const [, amount = '', unit = ''] = /^([0-9]{1,7}(?:\.[0-9]{1,3})?)(Mi|Gi|M|G)$/.exec(text) ?? []
  const bytes = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN))
  if (!(bytes >= 64 * MIB && bytes <= 2 ** 40))
    throw new InvalidArgumentError('Expected a size from 64Mi to 1024Gi, with Mi, Gi, M or G behind it.')
  return bytes
}

/** The name of a TestRun: what belongs to it is called so too, with more behind it. */
export function runName(text: string): string {
  if (/^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError(
    'Expected small letters, digits and hyphens, at most 40, a letter first and no hyphen last.',
  )
}

/** The name of something that is in the cluster already. */
export function kubeName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('Expected a name of the cluster: small letters, digits, hyphens and dots.')
}

/** An image, by its name and tag or digest. */
export function imageReference(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,400}$/.test(text)) return text
  throw new InvalidArgumentError('Expected an image, such as registry.example/breakwater:1.')
}

/** Where measurements are kept until they are gathered. */
export function resultsPlace(text: string): ResultsPlace {
  if (text === 'pod') return { kind: 'pod' }
  const [, claim] = /^claim=(.+)$/.exec(text) ?? []
  if (claim !== undefined) return { kind: 'claim', claim: kubeName(claim) }
  const here = hereOf(text)
  if (here !== undefined) return { kind: 'here', ...here }
  throw new InvalidArgumentError(
    'Expected pod, claim=NAME, or here=ADDRESS[:PORT] with an IP address such as 10.0.0.5 or [fd00::5].',
  )
}

/** Where a collector listens unless told otherwise. */
const COLLECTOR_PORT = 8090

function hereOf(text: string): { host: string; port: number } | undefined {
  const [, six, four, digits] = /^here=(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? []
  const host = six ?? four ?? ''
  const port = digits === undefined ? COLLECTOR_PORT : Number(digits)
  const isAddress = isIP(host) === (six === undefined ? 4 : 6)
  return isAddress && port >= 1 && port <= 65_535 ? { host, port } : undefined
}
