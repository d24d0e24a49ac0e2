import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { type Done, durationOption, GROUPS, percent, seed, wholeNumber } from './options.ts'

export function trendCommand(trend: Command, io: Io, done: Done): void {
  trend
    .description(
      'Find the release at which latency, failures or capacity changed, over the runs of a history',
    )
    .argument('[history]', 'Run history, a folder that `runs push` fills (default: run-history/)')
    .optionsGroup(GROUPS.criteria)
    .option('--job <name>', 'Use only runs of this job, such as load or capacity')
    .option('--target <name>', 'Use only runs of the target with this name')
    .option('--mix <name>', 'Use only runs of this mix')
    .option(
      '--since <name>',
      'Fail for any regression after this run or release, not only for the last change',
    )
    .option('--min-effect <percent>', 'Ignore smaller changes', percent, 0.03)
    .option('--alpha <percent>', 'Set the probability of a false change', percent, 0.01)
    .option(
      '--last <number>',
      'Use only this many of the newest runs of each group',
      wholeNumber(1000, { min: 6 }),
      400,
    )
    .option('--seed <number>', 'Set the seed of the random orders that changes are tested against', seed, 1)
    .optionsGroup(GROUPS.output)
    .option('--html <file>', 'Write a page with a chart of each group')
    .option('--json', 'Print the result as one JSON object')
    .action(async (history, options) =>
      done(await (await import('./trend.ts')).runTrend({ ...options, history, io })),
    )
}

/** Lists and removes runs, and adds them to a history. */
export function runsCommand(runs: Command, io: Io, done: Done): void {
  runs
    .description('List or remove runs, or add them to a run history')
    .usage('[dir] [options] | prune [dir] [options] | push <run...> [options]')
  runs
    .command('list', { isDefault: true })
    .description('List the runs in a folder of runs or in a run history, newest first')
    .argument('[dir]', 'Folder of runs, or run history (default: runs/)')
    .option('--json', 'Print the result as one JSON object')
    .action(async (dir, options) =>
      done(await (await import('./runs.ts')).runRunsList({ ...options, dir, io })),
    )
  runs
    .command('push')
    .description(
      'Add finished runs to a run history, a folder with a few kilobytes for each run, for `trend`',
    )
    .argument('<run...>', 'Run folders', (dir: string, before: string[] = []) => [...before, dir])
    .option('--history <dir>', 'Folder of the run history', 'run-history')
    .option('--release <name>', 'Name the release of the target that the runs tested')
    .option('--commit <id>', 'Name the commit of that release')
    .option('--json', 'Print the result as one JSON object')
    .action(async (dirs, options) =>
      done(await (await import('./trend.ts')).runRunsPush({ ...options, dirs, io })),
    )
  runs
    .command('prune')
    .description('Remove finished runs without confirmation, and list each')
    .argument('[dir]', 'Folder of runs, or run history (default: runs/)')
    .option(
      '--keep <number>',
      'Keep this many of the newest runs; in a run history, of each group that `trend` compares',
      wholeNumber(999_999),
    )
    .addOption(
      durationOption(
        '--older-than',
        'Keep runs that ended within this time, such as 30d; in a run history, that started',
        {
          min: '0s',
          max: '36500d',
          unit: 'ms',
          example: '30d',
        },
      ),
    )
    .option('--dry-run', 'List what would be removed, and remove nothing')
    .option('--json', 'Print the result as one JSON object')
    .action(async (dir, options) =>
      done(await (await import('./runs.ts')).runRunsPrune({ ...options, dir, io })),
    )
}
