import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { runCompare } from '../commands/compare.ts'
import type { Io } from '../io.ts'

/** The options of `breakwater compare`. */
export function buildCompareCommand(compare: Command, io: Io, done: (code: ExitCode) => void): void {
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
    .option('--repeat <number>', 'with --run: how many runs a side', within(1, 100), 5)
    .option('--rate <number>', 'with --run: iterations a second', positive)
    .option('--duration <seconds>', 'with --run: of each run, judged', within(1, 86_400), 10)
    .option('--warm-up <seconds>', 'with --run: before that', within(0, 3600), 2)
    .option('--mix <name>', 'with --run: a mix of fixtures/mixes, or a file of your own', 'reads')
    .option('--world <name>', 'of the stub: a world of fixtures/worlds', 'tiny')
    .option('--seed <number>', 'decides everything the stub does', within(0, 2 ** 32 - 1), 7)
    .addOption(
      new Option('--choices <set>', 'how the stub fills in what is not specified')
        .choices(Object.keys(CHOICE_SETS))
        .default('plain'),
    )
    .option('--confirm <host>', "the targets' host, where their profiles allow load elsewhere")
    .option('--max-vus <number>', 'clients at a time, at the most', within(1, 100_000), 1000)
    .option('--instances <number>', 'k6 processes that make the load together', within(1, 64), 1)
    .option(
      '--out <dir>',
      'where comparison.json, .html and .md go (with --run: the runs too; default: under runs/)',
    )
    .option('--json', 'print comparison.json in place of the table')
    .action(async (a, b, options) => done(await runCompare({ ...options, a, b, io })))
}

function within(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
  }
}

const RATE_MAX = 1_000_000

function positive(text: string): number {
  const number = /^[0-9]{1,7}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (number > 0 && number <= RATE_MAX) return number
  throw new InvalidArgumentError(`Expected a number above 0 and up to ${RATE_MAX}.`)
}
