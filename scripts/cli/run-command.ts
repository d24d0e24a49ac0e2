import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { confirmOption, mutantOption, outcomeOptions, stubOptions, targetOption } from './shared-options.ts'

/** `breakwater run`. */
export function runCommand(run: Command, io: Io, done: Done): void {
  run
    .description('run a scenario of your own; `init scenario` writes one to start from')
    .argument('<file>', 'a k6 script')
  stubOptions(run)
    .addOption(mutantOption())
    .addOption(targetOption())
    .addOption(confirmOption())
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: at most 1 % errors)')
    .option('--include-slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
  outcomeOptions(run).action(async (file, options) =>
    done(await (await import('../commands/run.ts')).runOwn({ ...options, file, io })),
  )
}
