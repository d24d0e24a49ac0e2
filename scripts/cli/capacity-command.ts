import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import { baselineOptions } from './baseline-options.ts'
import type { Done } from './command-part.ts'
import { heldRateOptions, k6OutOption, maxVusOption, mixOptions } from './load-options.ts'
import { decimal, rate, wholeNumber } from './option-values.ts'
import { outcomeOptions, stubOptions, targetOption } from './shared-options.ts'

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
    done(await (await import('../commands/capacity.ts')).runCapacity({ ...options, io })),
  )
}

/** `breakwater load`. */
export function loadCommand(load: Command, io: Io, done: Done): void {
  const command = load.description('hold one rate, and judge it by the objectives')
  targetOptions(command)
  heldRateOptions(command)
  baselineOptions(loadOptions(command)).action(async (options) =>
    done(await (await import('../commands/load.ts')).runLoad({ ...options, io })),
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
