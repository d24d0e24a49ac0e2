import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Io } from '../io.ts'
import {
  arrivalsOption,
  confirmOption,
  type Done,
  durationOption,
  GROUPS,
  percent,
  rate,
  seed,
  stubOptions,
  wholeNumber,
} from './options.ts'
import { requireWith } from './strict-command.ts'

export function compareCommand(compare: Command, io: Io, done: Done): void {
  compare
    .description('Compare two releases for performance regressions; exit with 1 if B is worse than A')
    .argument('[a]', 'Run folder or folder of repeated runs; with --run, a profile, `stub` or `stub:PLAN`')
    .argument('[b]', 'Same as A; the release to judge')
    .usage('[options] <a> <b> | --baseline <run> <b> | --run <a> <b> --rate <rate>')
    .optionsGroup(GROUPS.criteria)
    .option(
      '--baseline <run>',
      'Compare B with this run, or with the last good run of the same kind in this folder; replaces A',
    )
    .option('--allow-single-run', 'Allow a side with a single run, which ignores the variance between runs')
    .option('--across-targets', 'Compare runs even if their targets or worlds differ')
    .optionsGroup(GROUPS.load)
    .addOption(
      new Option(
        '--run',
        'Run both targets now, in turn: A and B are profiles, `stub` or `stub:PLAN`',
      ).conflicts('baseline'),
    )
    .option(
      '--repeat <number>',
      'Run each side this many times (with --run)',
      wholeNumber(100, { min: 1 }),
      5,
    )
    .addOption(
      new Option(
        '--until-sure',
        'Add pairs of runs, in random order, until B is shown to be worse, better or equivalent; exit with 4 if that fails (with --run)',
      ).conflicts(['repeat', 'allowSingleRun']),
    )
    .option(
      '--max-pairs <number>',
      'Run at most this many pairs (default: 20, with --until-sure)',
      wholeNumber(100, { min: 3 }),
    )
    .option('--rate <rate>', 'Start this many iterations per second (required with --run)', rate)
    .addOption(
      durationOption('--duration', 'Measure each run for this long (with --run)', {
        min: '1s',
        max: '24h',
        default: '10s',
      }),
    )
    .addOption(
      durationOption('--warm-up', 'Warm up each run for this long (with --run)', {
        min: '0s',
        max: '1h',
        default: '2s',
      }),
    )
    .option(
      '--mix <name>',
      'Use this traffic mix, a name from fixtures/mixes or a .json file (with --run)',
      'reads',
    )
    .addOption(arrivalsOption('poisson', { when: ' (with --run)' }))
    .option(
      '--max-vus <number>',
      'Run at most this many VUs at the same time (with --run)',
      wholeNumber(100_000, { min: 1 }),
      1000,
    )
    .option(
      '--instances <number>',
      'Split the load across this many k6 processes (with --run)',
      wholeNumber(64, { min: 1 }),
      1,
    )
    .optionsGroup(GROUPS.target)
    .addOption(confirmOption('load'))
  stubOptions(compare)
    .optionsGroup(GROUPS.output)
    .option(
      '-o, --output <dir>',
      'Write comparison.json, .html and .md to this folder, with --run also the runs (default: nothing is written; with --run, a new folder in runs/)',
    )
    .option('--json', 'Print comparison.json instead of the table')
    .action(async (a, b, options) => {
      requireWith(compare, {
        needed: 'run',
        options: RUN_OPTIONS,
        hint: 'With --run, A and B are targets: `compare --run A B --rate 50`. Runs that exist are compared as they are.',
      })
      done(await (await import('./compare.ts')).runCompare({ ...options, a, b, io }))
    })
}

const RUN_OPTIONS = [
  'repeat',
  'rate',
  'duration',
  'warmUp',
  'mix',
  'arrivals',
  'maxVus',
  'instances',
  'confirm',
  'world',
  'seed',
  'choices',
]

/** An option whose default is shown as it would be typed. */
function percentOption(
  flags: string,
  description: string,
  parse: (text: string) => number,
  byDefault: number,
): Option {
  return new Option(flags, description).argParser(parse).default(byDefault, `${byDefault * 100}%`)
}

/** With 0, no change would ever be found. */
function chance(text: string): number {
  const share = percent(text)
  if (share === 0) throw new InvalidArgumentError('Expected a percentage above 0, such as 1%.')
  return share
}

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
    .addOption(percentOption('--min-effect <percent>', 'Ignore smaller changes', percent, 0.03))
    .addOption(percentOption('--alpha <percent>', 'Set the probability of a false change', chance, 0.01))
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
