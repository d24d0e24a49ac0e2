import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** `breakwater merge`. */
export function mergeCommand(merge: Command, io: Io, done: Done): void {
  merge
    .description('make one run of those that several generators made together, and judge the whole')
    .argument('<dir...>', 'their run folders', (dir: string, before: string[] = []) => [...before, dir])
    .option('--slo <file>', 'judge by these objectives in place of the runs’ own')
    .option('--out <dir>', 'the merged run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
    .action(async (dirs, options) =>
      done(await (await import('../commands/merge.ts')).runMerge({ ...options, dirs, io })),
    )
}
