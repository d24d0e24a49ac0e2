import { isIP } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import type { Io } from '../io.ts'
import {
  CLUSTER_GROUP,
  imageOption,
  kubeName,
  memorySize,
  pullOptions,
  RUNNER_IMAGE,
  runName,
  runnerChoices,
  runnerOptions,
  startTimeoutOption,
} from './cluster-options.ts'
import {
  address,
  baselineOptions,
  constantRateOptions,
  type Done,
  decimal,
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
    done(await (await import('./k8s.ts')).runK8sRun({ ...runnerChoices(options), io })),
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
      done(await (await import('./k8s.ts')).runK8sRender({ ...runnerChoices(options), io })),
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
  stub
    .optionsGroup(CLUSTER_GROUP)
    .addOption(imageOption('Run this image, which contains Breakwater').makeOptionMandatory())
  pullOptions(stub)
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
  pullOptions(command.optionsGroup(CLUSTER_GROUP).addOption(imageOption(RUNNER_IMAGE).makeOptionMandatory()))
  return runnerOptions(command, { named })
}
