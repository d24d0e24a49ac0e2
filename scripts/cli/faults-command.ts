import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** The subcommands of `breakwater faults`. */
export function faultsCommand(faults: Command, io: Io, done: Done): void {
  faults.description(
    'what goes wrong at a stub that runs already; its token comes from BREAKWATER_CONTROL_TOKEN',
  )
  stubOptions(
    faults
      .command('apply')
      .description('put a fault plan in force, in place of the one before: as a whole, or not at all')
      .argument('<plan>', 'a plan of fixtures/faults, or a .json file of your own'),
  ).action(async (plan, options) =>
    done(await (await import('../commands/faults.ts')).runFaultsApply({ ...options, plan, io })),
  )
  stubOptions(faults.command('list').description('what is in force, and how often it has acted')).action(
    async (options) => done(await (await import('../commands/faults.ts')).runFaultsList({ ...options, io })),
  )
  stubOptions(faults.command('clear').description('end all faults, and undo what they hold')).action(
    async (options) => done(await (await import('../commands/faults.ts')).runFaultsClear({ ...options, io })),
  )
}

function stubOptions(command: Command): Command {
  return command
    .option('--control <url>', 'the control API of the stub (default: http://127.0.0.1:8082)')
    .addOption(
      new Option('--target <file>', 'a profile that names it, as `stub --profile` writes one').conflicts(
        'control',
      ),
    )
    .option('--json', 'print the answer of the control API')
}
