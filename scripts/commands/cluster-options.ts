/** Options about a cluster that several commands share. */

import { isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import type { ResultsPlace } from '../k8s/plan-cluster-load.ts'
import { decimal, durationOption, wholeNumber } from './options.ts'

export const CLUSTER_GROUP = 'Cluster:'

/** Options of runners, without --image; `named` is the default name of the TestRun in help. */
export function runnerOptions(command: Command, { named }: { named: string }): Command {
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
    .option(
      '--starter-image <ref>',
      "Start the runners with this image, which needs sh and curl (default: the operator's own)",
      imageReference,
    )
    .option('--name <name>', `Name the TestRun and its objects (default: ${named})`, runName)
    .option(
      '--operator-namespace <name>',
      'Look for k6-operator in this namespace',
      kubeName,
      'k6-operator-system',
    )
    .addOption(startTimeoutOption('Wait this long for all runners to start'))
}

export const RUNNER_IMAGE = 'Run this image, which contains Breakwater and its k6, in all pods'

export function startTimeoutOption(description: string): Option {
  return durationOption('--start-timeout', description, { min: '5s', max: '1h', default: '2m' })
}

export function imageOption(description: string): Option {
  return new Option('--image <ref>', description).argParser(imageReference)
}

export function pullOptions(command: Command): Command {
  return command
    .optionsGroup(CLUSTER_GROUP)
    .addOption(
      new Option('--image-pull-policy <policy>', 'Set the pull policy of all images')
        .choices(['Always', 'IfNotPresent', 'Never'])
        .default('IfNotPresent'),
    )
    .option('--image-pull-secret <name>', 'Pull images with the credentials of this Secret', kubeName)
}

/**
 * Options of a command that generates its load in a cluster only on request. `isRequested` throws a BreakwaterError (usage) if
 * an option lacks another one.
 */
export function onDemandOptions(command: Command, { named }: { named: string }): { isRequested(): boolean } {
  command
    .optionsGroup(CLUSTER_GROUP)
    .addOption(
      new Option(
        '--k8s',
        "Generate the load from pods of a Kubernetes cluster with Grafana's k6-operator",
      ).conflicts(['instances', 'world', 'choices']),
    )
  const others = command.options.length
  pullOptions(command.addOption(imageOption(`${RUNNER_IMAGE} (required with --k8s)`)))
  runnerOptions(command, { named }).option(
    '--namespace <name>',
    "Create the runners in this namespace (default: the namespace of kubectl's context)",
    kubeName,
  )
  const own = command.options.slice(others)
  const isGiven = (option: Option) => command.getOptionValueSource(option.attributeName()) === 'cli'
  return {
    isRequested() {
      const given = own.filter(isGiven).map(({ long }) => long)
      if (command.opts().k8s !== true) {
        if (given.length === 0) return false
        throw new BreakwaterError(
          `${given.join(', ')} ${given.length === 1 ? 'requires' : 'require'} --k8s`,
          {
            hint: 'Add --k8s to generate the load in a cluster, or omit these options.',
          },
        )
      }
      if (given.includes('--image') && command.opts().target !== undefined) return true
      const missing = given.includes('--image') ? '--target' : '--image'
      throw new BreakwaterError(`--k8s requires ${missing}`, {
        hint: MISSING_HINTS[missing],
      })
    },
  }
}

const MISSING_HINTS = {
  '--target':
    'Runners do not start a stub: `breakwater k8s stub --profile FILE` deploys one and writes its profile.',
  '--image': 'Name an image of Breakwater that the nodes can pull, such as registry.example/breakwater:1.',
} as const

type Parsed = { memory?: number; results?: ResultsPlace; startTimeout: number }
type Planned = { memoryBytes?: number; results: ResultsPlace; startSeconds: number }

/** Renames options to what plans call them. */
export function runnerChoices<Choices extends Planned>(
  given: Omit<Choices, keyof Planned> & Parsed,
): Choices {
  const { memory, results = { kind: 'pod' }, startTimeout, ...others } = given
  const planned: Planned = {
    ...(memory !== undefined && { memoryBytes: memory }),
    results,
    startSeconds: startTimeout,
  }
  return { ...others, ...planned } as unknown as Choices // as: the other options keep their names
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
