import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { rate, wholeNumber } from './option-values.ts'
import { confirmOption, stubOptions } from './shared-options.ts'

/** The options of `breakwater compare`. */
export function compareCommand(compare: Command, io: Io, done: Done): void {
  compare
    .description('tell whether B got worse than A: exit 1 where it did')
    .argument('[a]', 'a run folder, or a folder that holds repetitions of one run')
    .argument('[b]', 'the same')
    .usage('[options] <a> <b> | --baseline <run> <b> | --run <a> <b> --rate <number>')
    .option(
      '--baseline <run>',
      'in place of A: a run folder, or a folder: its last good run of the same kind',
    )
    .option('--single', 'judge although a side is a single run, which hides how much runs differ')
    .option('--across-targets', 'compare also where the sides are of two targets, or two worlds')
    .addOption(
      new Option(
        '--run',
        'A and B are targets (a profile, `stub` or `stub:PLAN`), and are run now in turn',
      ).conflicts('baseline'),
    )
    .option('--repeat <number>', 'with --run: how many runs a side', wholeNumber(100, { min: 1 }), 5)
    .option('--rate <number>', 'with --run: iterations a second', rate)
    .option('--duration <seconds>', 'with --run: of each run, judged', wholeNumber(86_400, { min: 1 }), 10)
    .option('--warm-up <seconds>', 'with --run: before that', wholeNumber(3600), 2)
    .option('--mix <name>', 'with --run: a mix of fixtures/mixes, or a file of your own', 'reads')
  stubOptions(compare)
    .addOption(confirmOption('load'))
    .option('--max-vus <number>', 'clients at a time, at the most', wholeNumber(100_000, { min: 1 }), 1000)
    .option(
      '--instances <number>',
      'k6 processes that make the load together',
      wholeNumber(64, { min: 1 }),
      1,
    )
    .option(
      '--out <dir>',
      'where comparison.json, .html and .md go (with --run: the runs too; default: under runs/)',
    )
    .option('--json', 'print comparison.json in place of the table')
    .action(async (a, b, options) =>
      done(await (await import('../commands/compare.ts')).runCompare({ ...options, a, b, io })),
    )
}
