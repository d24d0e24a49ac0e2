import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { kubeName } from './k8s-values.ts'
import { wholeNumber } from './option-values.ts'

/** `breakwater k8s gather`. */
export function k8sGatherCommand(gather: Command, io: Io, done: Done): void {
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
      done(await (await import('../commands/k8s-gather.ts')).runK8sGather({ ...options, name, io })),
    )
}
