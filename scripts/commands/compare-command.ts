import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import {
  arrivalsOption,
  confirmOption,
  type Done,
  durationOption,
  GROUPS,
  rate,
  stubOptions,
  wholeNumber,
} from './options.ts'

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
    .action(async (a, b, options) =>
      done(await (await import('./compare.ts')).runCompare({ ...options, a, b, io })),
    )
}
