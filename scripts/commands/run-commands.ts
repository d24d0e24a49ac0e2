import { type Command, Option, type OptionValues } from 'commander'
import type { Io } from '../io.ts'
import {
  baselineOptions,
  choicesOption,
  confirmOption,
  type Done,
  decimal,
  heldRateOptions,
  k6OutOption,
  maxVusOption,
  mixOptions,
  mutantOption,
  outcomeOptions,
  percent,
  rate,
  seed,
  stubOptions,
  targetOption,
  wholeNumber,
} from './options.ts'

/** `breakwater smoke`. */
export function smokeCommand(smoke: Command, io: Io, done: Done): void {
  smoke.description('hold a target to the rules of the specification; the stub takes some 20 seconds')
  stubOptions(smoke)
    .addOption(mutantOption())
    .addOption(targetOption())
    .addOption(confirmOption())
    .option(
      '--max-requests <number>',
      'end after so many requests (a target: 10000)',
      wholeNumber(999_999_999, { min: 10 }),
    )
    .option(
      '--max-duration <seconds>',
      'end after so long (300; with --include-slow 3000)',
      wholeNumber(86_400, { min: 10 }),
    )
    .option('--rules <glob>', 'judge only the rules whose id matches', '*')
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: smoke)')
    .option(
      '--mix <name>',
      'the load beside the probes: a mix of fixtures/mixes (default: smoke), or a file of your own',
    )
    .option('--no-load', 'probes only: leave out the load that latency is measured on')
    .option('--include-slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
    .option('--waivers <file>', 'failures to put up with for a while: [{rule, reason, until}]')
  outcomeOptions(baselineOptions(smoke))
    .option(
      '--min-judged <percent>',
      'exit 4 if fewer of the selected rules were judged, such as 95%',
      percent,
    )
    .option('--list-rules', 'list the rules, and end')
    .option('--list-mutants', 'list the mutants, and end')
    .action(async (options) => {
      if (options.listRules) (await import('../smoke/plan.ts')).listRules({ ...options, io })
      else if (options.listMutants) (await import('../runs/plan.ts')).listMutants({ ...options, io })
      else done(await (await import('./smoke.ts')).runSmoke({ ...options, io }))
    })
}

/** `breakwater repro`, and the commands below it. */
export function reproCommand(repro: Command, io: Io, done: Done): void {
  repro
    .description('play a case, a bug from the field, again at will, with a timeline of who did what')
    .option('--save [name]', 'make a case of what failed in the newest run of smoke: NAME.json')
    .option('--run <dir>', 'with --save: of that run')
    .option('--json', 'with --save: print the case, and the file that it is in')
    // What comes here is no command of those below.
    .argument('[word]')
    .usage('[options] [command]')
    .action(async (word, { save, run, json }) =>
      done(await (await import('./repro.ts')).runReproSave({ io, word, name: save, run, json })),
    )
  repro
    .command('list')
    .description('list the cases')
    .option('--json', 'print them whole')
    .action(async (_, list) => done(await (await import('./repro.ts')).runReproList({ ...whole(list), io })))
  repro
    .command('show')
    .description('tell the story of a case, and what it judges')
    .argument('<case>', 'a case of fixtures/cases, or a file of your own')
    .option('--json', 'print it whole')
    .action(async (name, _, show) =>
      done(await (await import('./repro.ts')).runReproShow({ ...whole(show), case: name, io })),
    )
  const run = repro
    .command('run')
    .description('play a case; the stub takes some seconds')
    .argument('<case>', 'a case of fixtures/cases, or a file of your own')
    .option('--seed <number>', 'decides everything the stub does (default: as the case says)', seed)
    .addOption(choicesOption())
    .addOption(mutantOption())
    .option('--target <file>', 'a target profile; without it, the stub exchange')
    .addOption(confirmOption())
    .option('--include-slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
  outcomeOptions(run, { instead: 'timeline and table' }).action(async (name, _, play) =>
    done(await (await import('./repro.ts')).runRepro({ ...whole(play), case: name, io })),
  )
}

/** With --json, which `repro` takes for its own wherever it stands. */
function whole(command: Command): OptionValues {
  return { ...command.opts(), ...(command.parent?.opts().json ? { json: true } : {}) }
}

/** `breakwater capacity`. */
export function capacityCommand(capacity: Command, io: Io, done: Done): void {
  const command = capacity.description(
    'find the highest rate that meets the objectives, and what limits it; some minutes',
  )
  targetOptions(command)
  command
    .addOption(
      new Option(
        '--stages <name>',
        'offer a fixed profile in place of a search: one of fixtures/stages, or a .json file',
      ),
    )
    .option(
      '--from <rate>',
      'the first and lowest rate, iterations a second (default: from 50, down to 1 where that fails)',
      rate,
    )
    .option('--to <rate>', 'no rate above; of --stages, their highest', rate)
    .option('--precision <share>', 'found where the bounds are this close (default: 0.05)', share)
    .option(
      '--trial-seconds <seconds>',
      'of a trial that counts in full; the confirmation takes four times that (default: 5)',
      wholeNumber(3600, { min: 2 }),
    )
    .option('--max-duration <seconds>', 'end after so long (default: 300)', wholeNumber(86_400, { min: 10 }))
    .option('--max-requests <number>', 'end before more are sent', wholeNumber(999_999_999, { min: 10 }))
    .option('--require <rate>', 'fail (exit 1) where it is not reached', rate)
  baselineOptions(loadOptions(command)).action(async (options) =>
    done(await (await import('./capacity.ts')).runCapacity({ ...options, io })),
  )
}

/** `breakwater load`. */
export function loadCommand(load: Command, io: Io, done: Done): void {
  const command = load.description('hold one rate, and judge it by the objectives')
  targetOptions(command)
  heldRateOptions(command)
  baselineOptions(loadOptions(command)).action(async (options) =>
    done(await (await import('./load.ts')).runLoad({ ...options, io })),
  )
}

function targetOptions(command: Command): Command {
  return mixOptions(command.addOption(targetOption()))
}

function loadOptions(command: Command): Command {
  maxVusOption(command).option(
    '--instances <number>',
    'k6 processes that make the load together',
    wholeNumber(64, { min: 1 }),
    1,
  )
  k6OutOption(command)
  return outcomeOptions(stubOptions(command))
}

const share = decimal('a share', { min: 0.005, max: 0.5 })

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
      done(await (await import('./compare.ts')).runCompare({ ...options, a, b, io })),
    )
}
