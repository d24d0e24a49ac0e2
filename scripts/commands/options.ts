import { isIP } from 'node:net'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import type { Io, Loudness } from '../io.ts'
import { durationMs } from '../k6/k6-args.ts'

/** Takes what a command ended with; `server` where only a signal ends it, which is then no interruption. */
export type Done = (code: ExitCode, kind?: 'server') => void

/** Gives a bare command its description, its options, and what it does. */
export type CommandPart = (command: Command, io: Io, done: Done) => void

/** Options of commands that make a load, in the same words. */
/** What clients do, and what is asked of the answers. */
export function mixOptions(command: Command): Command {
  return command
    .addOption(confirmOption('load'))
    .option('--mix <name>', 'what clients do: a mix of fixtures/mixes, or a .json file', 'reads')
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: capacity)')
}

/** One rate that is held. */
export function heldRateOptions(command: Command): Command {
  return command
    .requiredOption('--rate <rate>', 'iterations a second', rate)
    .option('--duration <seconds>', 'judged for so long', wholeNumber(86_400, { min: 2 }), 30)
    .option('--warm-up <seconds>', 'not judged, before', wholeNumber(3600), 2)
}

/** `--max-vus`. */
export function maxVusOption(command: Command): Command {
  return command.option(
    '--max-vus <number>',
    'clients at a time, at the most',
    wholeNumber(100_000, { min: 1 }),
    2000,
  )
}

/** `--k6-out`. */
export function k6OutOption(command: Command): Command {
  return command.option(
    '--k6-out <spec>',
    'a further output of k6, as its own --out takes it; may come again',
    collect,
  )
}

/** Options that several commands share, in the same words. */
/** Of the stub exchange that a command starts. */
export function stubOptions(command: Command): Command {
  return command
    .option('--world <name>', 'of the stub: a world of fixtures/worlds', 'tiny')
    .option('--seed <number>', 'decides everything the stub does', seed, 7)
    .addOption(choicesOption().default('plain'))
}

/** `--choices`, one of the sets that there are. */
export function choicesOption(): Option {
  return new Option('--choices <set>', 'how the stub fills in what is not specified').choices(
    CHOICE_SET_NAMES,
  )
}

/** `--mutant`; whether there is one of the name is checked by the command. */
export function mutantOption(): Option {
  return new Option('--mutant <name>', 'make the stub break one rule')
}

/** What the stub does is nothing to another exchange. */
export function targetOption(): Option {
  return new Option('--target <file>', 'a target profile; without it, the stub exchange').conflicts([
    'choices',
    'world',
  ])
}

/** `--confirm`, which has to be a host of the target. */
export function confirmOption(allowed = 'load and changes'): Option {
  return new Option(
    '--confirm <host>',
    `a host of the target that is not this machine, if its profile allows ${allowed}; repeat it for each host`,
  ).argParser(collect)
}

/** Of an option that may be repeated. */
function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Of commands that can start where another run of the chain ended. */
export function loadOption(): Option {
  return new Option('--load <file>', 'go on from a dump, in place of --world and --seed').conflicts([
    'world',
    'seed',
  ])
}

/** Of commands that make a run folder and judge it. */
export function outcomeOptions(
  command: Command,
  { instead = 'the table' }: { instead?: string } = {},
): Command {
  return command
    .option('--strict', 'exit 4 if anything that was selected is inconclusive or skipped')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', `print report.json in place of ${instead}`)
}

/** Of commands that make a run: what it is then held against. */
export function baselineOptions(command: Command): Command {
  return command
    .option('--baseline <run>', 'compare with a run, or with the last good one of the same kind in a folder')
    .option('--single', 'with --baseline: judge one run against one, which hides how much runs differ')
}

/** Of the program, and so of each command, before its name or after it. */
export function loudnessOptions(program: Command, onLoudness: (loudness: Loudness) => void): void {
  program
    .addOption(new Option('-q, --quiet', 'tell nothing but results and errors').conflicts('verbose'))
    .addOption(new Option('-v, --verbose', 'tell each step and its time, and what k6 is started with'))
    .configureHelp({
      showGlobalOptions: true,
      // Nobody asks a command for the version; of the program they are its own.
      visibleGlobalOptions: (command) =>
        command === program
          ? []
          : program.options.filter(({ short }) => LOUDNESS_WORDS.includes(short ?? '')),
    })
    .hook('preAction', () => {
      const { quiet, verbose } = program.opts()
      if (quiet) onLoudness('quiet')
      if (verbose) onLoudness('verbose')
    })
}

/** What may stand before the name of a command. */
export const LOUDNESS_WORDS: readonly string[] = ['-q', '--quiet', '-v', '--verbose']

/** How the values of options are read: a number, or commander's error with what was expected. */
/** Reads a whole number from min to max. `what` names it in the error, and `minShown` the least one. */
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

/** Reads a decimal number from min to max, of at most six places. */
export function decimal(what: string, { min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${min} to ${max}.`)
    return number
  }
}

/** Reads a duration such as 800ms or 1m30s, as milliseconds. */
export function duration({ minMs, maxMs }: { minMs: number; maxMs: number }): (text: string) => number {
  return (text) => {
    const ms = /^([0-9]{1,6}(ms|s|m|h))+$/.test(text) ? durationMs(text) : Number.NaN
    if (ms >= minMs && ms <= maxMs) return ms
    const [least, most] = [minMs, maxMs].map((bound) =>
      bound % 1000 === 0 ? `${bound / 1000}s` : `${bound}ms`,
    )
    const example = DURATIONS_SHOWN.find((shown) => durationMs(shown) >= minMs && durationMs(shown) <= maxMs)
    throw new InvalidArgumentError(`Expected a duration from ${least} to ${most}, such as ${example}.`)
  }
}

/** For messages: the first that fits is shown. */
const DURATIONS_SHOWN = ['800ms', '1m30s']

/** A text that is not empty: a shell variable that was never set is no name. */
export function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a text that is not empty.')
  return text
}

/** A percentage, with or without its sign, as a share from 0 to 1. */
export function percent(text: string): number {
  const [, number] = /^([0-9]{1,3}(?:\.[0-9]{1,6})?)%?$/.exec(text) ?? []
  if (number === undefined || Number(number) > 100)
    throw new InvalidArgumentError('Expected a percentage from 0 to 100, such as 95%.')
  return Number(number) / 100
}

/** Iterations a second. */
export const rate = decimal('a rate', { min: 0.01, max: 1_000_000 })

/** Decides everything that is drawn. */
export const seed = wholeNumber(2 ** 32 - 1)

/** An address of this machine to listen at: IPv4 or IPv6, no name. */
export function address(text: string): string {
  if (isIP(text) === 0)
    throw new InvalidArgumentError('Expected an IP address, such as 127.0.0.1 or 0.0.0.0.')
  return text
}
