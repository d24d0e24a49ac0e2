import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { baselineOptions } from './baseline-options.ts'
import type { Done } from './command-part.ts'
import { percent, wholeNumber } from './option-values.ts'
import { confirmOption, mutantOption, outcomeOptions, stubOptions, targetOption } from './shared-options.ts'

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
      if (options.listRules) (await import('../commands/list-rules.ts')).listRules({ ...options, io })
      else if (options.listMutants)
        (await import('../commands/list-mutants.ts')).listMutants({ ...options, io })
      else done(await (await import('../commands/smoke.ts')).runSmoke({ ...options, io }))
    })
}
