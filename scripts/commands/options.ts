import { isIP } from 'node:net'
import { type Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import type { Io, Verbosity } from '../io.ts'
import { durationMs } from '../k6/k6-args.ts'
import { requireWith } from './strict-command.ts'

/** Takes the exit code of a command. A `server` ends only by a signal, so that a signal does not change its exit code. */
export type Done = (code: ExitCode, kind?: 'server') => void

/** Adds description, options and action to a bare command. */
export type CommandPart = (command: Command, io: Io, done: Done) => void

/** Headings of options in help. Each helper below sets the group of the options that it adds. */
export const GROUPS = {
  target: 'Target:',
  load: 'Load:',
  criteria: 'Criteria:',
  stub: 'Stub:',
  output: 'Output:',
} as const

export function mixOptions(command: Command, { arrivals = arrivalsOption('even') } = {}): Command {
  return command
    .optionsGroup(GROUPS.target)
    .addOption(confirmOption('load'))
    .optionsGroup(GROUPS.load)
    .option('--mix <name>', 'Use this traffic mix, a name from fixtures/mixes or a .json file', 'reads')
    .addOption(arrivals)
    .optionsGroup(GROUPS.criteria)
    .option(
      '--slo <name>',
      'Check these objectives, a name from fixtures/slos or a .json file (default: capacity)',
    )
}

export function arrivalsOption(kind: 'even' | 'poisson', { when = '' } = {}): Option {
  return new Option(
    '--arrivals <kind>',
    `Let clients arrive at even or poisson (random) times, or with the gaps of this file, which has the seconds of one arrival per line${when}`,
  ).default(kind)
}

export function constantRateOptions(command: Command): Command {
  return command
    .optionsGroup(GROUPS.load)
    .requiredOption('--rate <rate>', 'Start this many iterations per second', rate)
    .addOption(
      durationOption('--duration', 'Measure for this long', { min: '2s', max: '24h', default: '30s' }),
    )
    .addOption(
      durationOption('--warm-up', 'Warm up for this long before measuring', {
        min: '0s',
        max: '1h',
        default: '2s',
      }),
    )
}

export function maxVusOption(command: Command): Command {
  return command
    .optionsGroup(GROUPS.load)
    .option(
      '--max-vus <number>',
      'Run at most this many VUs at the same time',
      wholeNumber(100_000, { min: 1 }),
      2000,
    )
}

export function k6OutOption(command: Command): Command {
  return command
    .optionsGroup(GROUPS.load)
    .option('--k6-out <spec>', "Add a k6 output, in the format of k6's --out; repeatable", collect)
}

/** Options of the stub exchange that a command starts. */
export function stubOptions(command: Command, choices = choicesOption().default('default')): Command {
  return command
    .optionsGroup(GROUPS.stub)
    .option(
      '--world <name>',
      'Run the stub with this world, a name from fixtures/worlds or a .json file',
      'tiny',
    )
    .option('--seed <number>', 'Set the seed of the stub; the same seed gives the same world', seed, 7)
    .addOption(choices)
}

export function choicesOption(
  description = 'Select how the stub fills in what the specification leaves open',
): Option {
  return new Option('--choices <set>', description).choices(CHOICE_SET_NAMES)
}

/** The command checks the name. */
export function mutantOption(): Option {
  return new Option(
    '--mutant <name>',
    'Inject a bug into the stub, or several joined with +; see `smoke --list-mutants`',
  )
}

/** Conflicts with the options that shape a stub: they have no effect on another exchange. */
export function targetOption(): Option {
  return new Option('--target <file>', 'Test the target of this profile (default: a new stub)').conflicts([
    'choices',
    'world',
  ])
}

export function confirmOption(allowed = 'load and changes'): Option {
  return new Option(
    '--confirm <host>',
    `Confirm ${allowed} on this host; required for each remote host of the target; repeatable`,
  ).argParser(collect)
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

export function fromDumpOption(): Option {
  return new Option(
    '--from-dump <file>',
    'Restore the chain from this dump instead of --world and --seed',
  ).conflicts(['world', 'seed'])
}

/** Options of commands that write a run folder and judge it. */
export function outcomeOptions(
  command: Command,
  { instead = 'the table' }: { instead?: string } = {},
): Command {
  return command
    .optionsGroup(GROUPS.criteria)
    .option('--strict', 'Exit with 4 if any selected rule or objective is inconclusive or skipped')
    .optionsGroup(GROUPS.output)
    .option('-o, --output <dir>', 'Write the run to this folder (default: a new folder in runs/)')
    .option('--json', `Print report.json instead of ${instead}`)
}

export function liveOption(content = 'the charts'): Option {
  return new Option(
    '--live',
    `Serve a page with ${content} so far, on this machine only, and print its address`,
  )
}

export function baselineOptions(command: Command): Command {
  const hint = 'Without a baseline, nothing is compared.'
  return command
    .hook('preAction', () => requireWith(command, { needed: 'baseline', options: ['allowSingleRun'], hint }))
    .optionsGroup(GROUPS.criteria)
    .option(
      '--baseline <run>',
      'Compare with this run, or with the last good run of the same kind in this folder',
    )
    .option(
      '--allow-single-run',
      'Allow a comparison of one run with one run, which ignores the variance between runs (with --baseline)',
    )
    .optionsGroup(GROUPS.output)
    .addOption(historyOption())
}

export function historyOption(): Option {
  return new Option(
    '--history <dir>',
    'Show in the report how the run compares with earlier ones in this run history',
  )
}

/** Global options: every command takes them, before or after its name. */
export function verbosityOptions(program: Command, onVerbosity: (verbosity: Verbosity) => void): void {
  program
    .addOption(new Option('-q, --quiet', 'Print only results and errors').conflicts('verbose'))
    .addOption(new Option('-v, --verbose', 'Also print each step with its time, and how k6 is started'))
    .configureHelp({
      showGlobalOptions: true,
      optionDescription: describe,
      argumentDescription: describe,
      // Without --version. The program itself lists them as its own options.
      visibleGlobalOptions: (command) =>
        command === program
          ? []
          : program.options.filter(({ short }) => LOUDNESS_WORDS.includes(short ?? '')),
    })
    .hook('preAction', () => {
      const { quiet, verbose } = program.opts()
      if (quiet) onVerbosity('quiet')
      if (verbose) onVerbosity('verbose')
    })
}

/** Unlike commander's own text, marks required options and quotes no values. */
function describe(part: Option | Argument): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = part
  const notes = [
    ...(part instanceof Option && part.mandatory ? ['required'] : []),
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]),
    ...(defaultValue === undefined || (part instanceof Option && part.negate)
      ? []
      : [`default: ${defaultValueDescription ?? defaultValue}`]),
  ]
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`
}

/** Options that may come before the name of a command. */
const LOUDNESS_WORDS: readonly string[] = ['-q', '--quiet', '-v', '--verbose']

/** Returns a parser of whole numbers. The error names `what`, and shows `minShown` as the minimum. */
export function wholeNumber(
  max: number,
  {
    what = 'a whole number',
    min = 0,
    minShown = String(min),
  }: { what?: string; min?: number; minShown?: string } = {},
): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${minShown} to ${max}.`)
    return number
  }
}

/** Returns a parser of decimal numbers with at most six decimal places. */
export function decimal(what: string, { min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${min} to ${max}.`)
    return number
  }
}

/** Rejects an empty text, such as an unset shell variable. */
export function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a non-empty text.')
  return text
}

/** Parses a percentage, with or without `%`, into a share from 0 to 1. */
export function percent(text: string): number {
  const [, number] = /^([0-9]{1,3}(?:\.[0-9]{1,6})?)%?$/.exec(text) ?? []
  if (number === undefined || Number(number) > 100)
    throw new InvalidArgumentError('Expected a percentage from 0 to 100, such as 95%.')
  return Number(number) / 100
}

/** Iterations per second. */
export const rate = decimal('a rate', { min: 0.01, max: 1_000_000 })

export const seed = wholeNumber(2 ** 32 - 1)

export const port = wholeNumber(65_535, { what: 'a port', minShown: '0 (any)' })

/** An IPv4 or IPv6 address to bind to; no host name. */
export function address(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError('Expected an IP address, such as 127.0.0.1 or 0.0.0.0.')
  return text
}

/** All texts are durations as a user types them: `30s`. */
type DurationOptions = {
  min: string
  max: string
  /** Unit of the result, which is a whole number; default: seconds. */
  unit?: 's' | 'ms'
} & ({ default: string } | { example: string })

/** Returns an option such as `--duration <duration>`, for 800ms, 60s or 1m30s. */
export function durationOption(name: string, description: string, options: DurationOptions): Option {
  const parse = durationParser(options)
  const option = new Option(`${name} <duration>`, description).argParser(parse)
  return 'default' in options ? option.default(parse(options.default), options.default) : option
}

function durationParser(options: DurationOptions): (text: string) => number {
  const { min, max, unit = 's' } = options
  const unitMs = unit === 's' ? 1000 : 1
  const example = 'default' in options ? options.default : options.example
  return (text) => {
    const ms = DURATION.test(text) ? durationMs(text) : Number.NaN
    if (ms >= durationMs(min) && ms <= durationMs(max) && ms % unitMs === 0) return ms / unitMs
    const problem = /^[0-9.]+$/.test(text) ? 'Add a unit. ' : ''
    const whole = unit === 's' ? ' in whole seconds' : ''
    throw new InvalidArgumentError(
      `${problem}Expected a duration from ${min} to ${max}${whole}, such as ${example}.`,
    )
  }
}

const DURATION = /^([0-9]{1,9}(ms|s|m|h|d))+$/
