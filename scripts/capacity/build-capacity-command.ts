import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { CHOICE_SETS } from '../../simulator/choices/choices.ts'
import { runCapacity } from '../commands/capacity.ts'
import { runLoad } from '../commands/load.ts'
import { baselineOptions } from '../compare/baseline-options.ts'
import type { Io } from '../io.ts'

type Done = (code: ExitCode) => void

/** `breakwater capacity`. */
export function buildCapacityCommand(capacity: Command, io: Io, done: Done): void {
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
      wholeNumber(2, 3600),
    )
    .option('--max-duration <seconds>', 'end after so long (default: 300)', wholeNumber(10, 86_400))
    .option('--max-requests <number>', 'end before more are sent', wholeNumber(10, 999_999_999))
    .option('--require <rate>', 'fail (exit 1) where it is not reached', rate)
  baselineOptions(loadOptions(command)).action(async (options) => done(await runCapacity({ ...options, io })))
}

/** `breakwater load`. */
export function buildLoadCommand(load: Command, io: Io, done: Done): void {
  const command = load.description('hold one rate, and judge it by the objectives')
  targetOptions(command)
  command
    .requiredOption('--rate <rate>', 'iterations a second', rate)
    .option('--duration <seconds>', 'judged for so long', wholeNumber(2, 86_400), 30)
    .option('--warm-up <seconds>', 'not judged, before', wholeNumber(0, 3600), 2)
  baselineOptions(loadOptions(command)).action(async (options) => done(await runLoad({ ...options, io })))
}

function targetOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--target <file>', 'a target profile; without it, the stub exchange').conflicts([
        'choices',
        'world',
      ]),
    )
    .option('--confirm <host>', "the target's host, where its profile allows load elsewhere")
    .option('--mix <name>', 'what clients do: a mix of fixtures/mixes, or a .json file', 'reads')
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: capacity)')
}

function loadOptions(command: Command): Command {
  return command
    .option('--max-vus <number>', 'clients at a time, at the most', wholeNumber(1, 100_000), 2000)
    .option('--instances <number>', 'k6 processes that make the load together', wholeNumber(1, 64), 1)
    .option('--k6-out <spec>', 'a further output of k6, as its own --out takes it; may come again', collect)
    .option('--world <name>', 'of the stub: a world of fixtures/worlds', 'tiny')
    .option('--seed <number>', 'decides everything the stub does', wholeNumber(0, 2 ** 32 - 1), 7)
    .addOption(
      new Option('--choices <set>', 'how the stub fills in what is not specified')
        .choices(Object.keys(CHOICE_SETS))
        .default('plain'),
    )
    .option('--strict', 'exit 4 where the result is inconclusive')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
}

function collect(spec: string, before: readonly string[] = []): string[] {
  return [...before, spec]
}

const rate = decimal('a rate', { min: 0.01, max: 1_000_000 })
const share = decimal('a share', { min: 0.005, max: 0.5 })

function decimal(what: string, { min, max }: { min: number; max: number }): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${min} to ${max}.`)
    return number
  }
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
    return number
  }
}
