import { type Command, Option, type OptionValues } from 'commander'
import { BreakwaterError } from '../../contract/breakwater-error.ts'
import { AXES } from '../../contract/scenario-config.ts'
import type { Io } from '../io.ts'
import { onDemandOptions, runnerChoices } from './cluster-options.ts'
import {
  arrivalsOption,
  baselineOptions,
  choicesOption,
  confirmOption,
  constantRateOptions,
  type Done,
  decimal,
  durationOption,
  GROUPS,
  k6OutOption,
  liveOption,
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

export function smokeCommand(smoke: Command, io: Io, done: Done): void {
  smoke
    .description('Check a target against the specification (10 to 15 seconds on the stub)')
    .optionsGroup(GROUPS.target)
    .addOption(targetOption())
    .addOption(confirmOption())
    .optionsGroup(GROUPS.load)
    .option(
      '--mix <name>',
      'Measure latency with this traffic mix, a name from fixtures/mixes or a .json file (default: smoke)',
    )
    .option('--no-load', 'Run only the probes, without the load that measures latency')
    .option(
      '--max-requests <number>',
      'Stop after this many requests (default: 10000 for a target, no limit for the stub)',
      wholeNumber(999_999_999, { min: 10 }),
    )
    .addOption(
      durationOption('--max-duration', 'Stop after this long (default: 5m, with --include-slow 50m)', {
        min: '10s',
        max: '24h',
        example: '5m',
      }),
    )
    .optionsGroup(GROUPS.criteria)
    .option(
      '--rules <glob>',
      'Check only rules whose id matches this pattern, or one of a comma-separated list',
      '*',
    )
    .option('--include-slow', 'Include rules that take about 15 minutes if Breakwater cannot move the clock')
    .option(
      '--slo <name>',
      'Check these objectives, a name from fixtures/slos or a .json file (default: smoke)',
    )
    .option('--waivers <file>', 'Waive known failures: a JSON file with [{rule, reason, until}]')
    .option(
      '--min-judged <percent>',
      'Exit with 4 if fewer of the selected rules were judged, such as 95% (default: no minimum)',
      percent,
    )
  stubOptions(baselineOptions(smoke)).addOption(mutantOption())
  outcomeOptions(smoke)
    .option('--list-rules', 'List the rules and exit')
    .option('--list-mutants', 'List the mutants and exit')
    .action(async (options) => {
      if (options.listRules) (await import('../smoke/plan.ts')).listRules({ ...options, io })
      else if (options.listMutants) (await import('../runs/plan.ts')).listMutants({ ...options, io })
      else done(await (await import('./smoke.ts')).runSmoke({ ...options, io }))
    })
}

export function reproCommand(repro: Command, io: Io, done: Done): void {
  repro
    .description('Reproduce a bug from the field, with a timeline of every actor')
    .option(
      '--save [name]',
      'Save the failures of the newest failed smoke run as a case, NAME.json (default: the rule id)',
    )
    .option('--run <dir>', 'Save the failures of this run folder instead (with --save)')
    .option('--json', 'Print the saved case and its file name as JSON (with --save)')
    // Catches a mistyped subcommand.
    .argument('[command]')
    .usage('[options] [command]')
    .action(async (word, { save, run, json }) =>
      done(await (await import('./repro.ts')).runReproSave({ io, word, name: save, run, json })),
    )
  repro
    .command('list')
    .description('List all cases')
    .option('--json', 'Print all cases in full as JSON')
    .action(async (_, list) => done(await (await import('./repro.ts')).runReproList({ ...whole(list), io })))
  repro
    .command('show')
    .description('Show the story of a case and the rules that it checks')
    .argument('<case>', 'Case, a name from `repro list` or a .json file')
    .option('--json', 'Print the case in full as JSON')
    .action(async (name, _, show) =>
      done(await (await import('./repro.ts')).runReproShow({ ...whole(show), case: name, io })),
    )
  const run = repro
    .command('run')
    .description('Run a case and print its timeline (a few seconds on the stub)')
    .argument('<case>', 'Case, a name from `repro list` or a .json file')
    .optionsGroup(GROUPS.target)
    .option('--target <file>', 'Test the target of this profile (default: a new stub)')
    .addOption(confirmOption())
    .optionsGroup(GROUPS.criteria)
    .option('--include-slow', 'Wait for steps that take about 15 minutes if Breakwater cannot move the clock')
    .optionsGroup(GROUPS.stub)
    .option('--seed <number>', 'Override the seed of the case', seed)
    .addOption(choicesOption('Override the choices of the case'))
    .addOption(mutantOption())
    .optionsGroup('Client:')
    .addOption(
      new Option(
        '--client <command>',
        'Run a case of `hunt` with the client that this shell command starts',
      ).conflicts(['target', 'confirm', 'includeSlow', 'seed', 'choices', 'mutant', 'strict', 'output']),
    )
  outcomeOptions(run, { instead: 'the timeline and the table' }).action(async (name, _, play) => {
    const options = whole(play)
    if (options.client === undefined)
      done(await (await import('./repro.ts')).runRepro({ ...options, case: name, io }))
    else
      done(
        await (await import('./hunt.ts')).runHuntCase({ ...options, client: options.client, case: name, io }),
      )
  })
}

/** Adds --json, which commander always gives to `repro`, not to its subcommand. Rejects the other options of `repro`. */
function whole(command: Command): OptionValues {
  const { save, run } = command.parent?.opts() ?? {}
  if (save !== undefined || run !== undefined) {
    throw new BreakwaterError(
      `repro ${command.name()}: ${save === undefined ? '--run' : '--save'} cannot be used with a command`,
      {
        hint: 'To save a case: `breakwater repro --save NAME`.',
      },
    )
  }
  return { ...command.opts(), ...(command.parent?.opts().json ? { json: true } : {}) }
}

export function capacityCommand(capacity: Command, io: Io, done: Done): void {
  const command = capacity.description(
    'Find the highest rate that meets the objectives, and what limits it (about two minutes)',
  )
  targetOptions(command, { arrivals: arrivalsOption('poisson') })
    .optionsGroup(GROUPS.load)
    .addOption(
      new Option(
        '--axis <axis>',
        'Search over the rate of arriving clients, the number of open sockets, of rooms that they have joined, or of sockets that do not read, or the events that reach sockets (--mix and --slo then default to the name of the axis)',
      )
        .choices(AXES)
        .default('rate'),
    )
    .option(
      '--open-rate <rate>',
      'With any --axis but rate, open this many sockets per second (default: 100)',
      wholeNumber(10_000, { min: 1 }),
    )
    .addOption(
      durationOption(
        '--recover-within',
        'With --axis sockets, cut all sockets at once, and find how many of them recover: 99 % are synchronized again within this time',
        { min: '2s', max: '10m', example: '10s' },
      ),
    )
    .addOption(
      new Option(
        '--stages <name>',
        'Run fixed stages instead of a search, a name from fixtures/stages or a .json file',
      ),
    )
    .option(
      '--from <rate>',
      'Start the search at this rate, in iterations per second or the unit of the axis; no lower one is tried (default: 50, or down to 1 if 50 fails)',
      rate,
    )
    .option(
      '--to <rate>',
      'Try no rate above this, in iterations per second or the unit of the axis; with --stages, scale their highest rate to it (default: no limit)',
      rate,
    )
    .option('--precision <share>', 'Stop when the bounds differ by at most this share (default: 0.05)', share)
    .addOption(
      durationOption(
        '--trial-duration',
        'Measure each full trial for this long, and the confirmation four times as long (default: 5s)',
        { min: '2s', max: '1h', example: '5s' },
      ),
    )
    .addOption(
      durationOption('--max-duration', 'Stop after this long (default: 5m, with --k8s 15m)', {
        min: '10s',
        max: '24h',
        example: '5m',
      }),
    )
    .option(
      '--max-requests <number>',
      'Stop before sending more than this many requests (default: no limit)',
      wholeNumber(999_999_999, { min: 10 }),
    )
    .optionsGroup(GROUPS.criteria)
    .option(
      '--min-rate <rate>',
      'Exit with 1 if the target does not reach this rate, in iterations per second or the unit of the axis',
      rate,
    )
  baselineOptions(loadOptions(command))
  const cluster = onDemandOptions(command, { named: 'capacity-<time>' })
  command.action(async (options) => {
    const isDefaultMix = command.getOptionValueSource('mix') === 'default'
    const mix = options.axis !== 'rate' && isDefaultMix ? options.axis : options.mix
    done(
      cluster.isRequested()
        ? await (await import('./capacity-k8s.ts')).runClusterCapacity(runnerChoices({ ...options, mix, io }))
        : await (await import('./capacity.ts')).runCapacity({ ...options, mix, io }),
    )
  })
}

export function loadCommand(load: Command, io: Io, done: Done): void {
  const command = load.description('Run a load test at one rate and check the objectives')
  targetOptions(command)
  constantRateOptions(command)
  baselineOptions(loadOptions(command).addOption(mutantOption())).action(async (options) =>
    done(await (await import('./load.ts')).runLoad({ ...options, io })),
  )
}

function targetOptions(command: Command, options?: Parameters<typeof mixOptions>[1]): Command {
  return mixOptions(command.optionsGroup(GROUPS.target).addOption(targetOption()), options)
}

function loadOptions(command: Command): Command {
  maxVusOption(command).option(
    '--instances <number>',
    'Split the load across this many k6 processes',
    wholeNumber(64, { min: 1 }),
    1,
  )
  k6OutOption(command)
  return outcomeOptions(stubOptions(command)).addOption(liveOption())
}

const share = decimal('a share', { min: 0.005, max: 0.5 })
