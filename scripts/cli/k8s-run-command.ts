import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { baselineOptions } from './baseline-options.ts'
import type { Done } from './command-part.ts'
import { clusterChoices, clusterOptions } from './k8s-options.ts'
import { kubeName } from './k8s-values.ts'

/** `breakwater k8s run`. */
export function k8sRunCommand(run: Command, io: Io, done: Done): void {
  run.description('hold one rate from many pods, gather what they measure, and judge it as a whole')
  clusterOptions(run, { named: 'load-<time>' })
    .option('--namespace <name>', "that it is made in (default: that of kubectl's context)", kubeName)
    .option('--keep', 'leave in the cluster what was made there')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
  baselineOptions(run).action(async (options) =>
    done(await (await import('../commands/k8s-run.ts')).runK8sRun({ ...clusterChoices(options), io })),
  )
}
