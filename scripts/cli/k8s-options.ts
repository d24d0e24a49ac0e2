/** Options of `k8s run` and `k8s render`, in the same words, and what they come to. */
import { type Command, Option } from 'commander'
import type { ResultsPlace } from '../k8s/cluster-load.ts'
import type { ClusterOptions } from '../k8s/plan-cluster-load.ts'
import { imageReference, kubeName, memorySize, resultsPlace, runName } from './k8s-values.ts'
import { heldRateOptions, k6OutOption, maxVusOption, mixOptions } from './load-options.ts'
import { decimal, seed, wholeNumber } from './option-values.ts'

/** What the load is, and how a cluster makes it; `named` says what the TestRun is called where nobody names it. */
export function clusterOptions(command: Command, { named }: { named: string }): Command {
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
export function pullOptions(command: Command, { used }: { used: string }): Command {
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
export function clusterChoices(parsed: Parsed): Choices {
  const { memory, results = { kind: 'pod' }, startTimeout, ...others } = parsed
  return {
    ...others,
    ...(memory !== undefined && { memoryBytes: memory }),
    results,
    startSeconds: startTimeout,
  }
}
