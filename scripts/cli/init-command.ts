import { Argument, type Command } from 'commander'
import { KIND_NAMES } from '../init/kind-names.ts'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** `breakwater init`. */
export function initCommand(init: Command, io: Io, done: Done): void {
  init
    .description('write a profile, a mix and objectives to start from, with comments; or a scenario')
    .addArgument(
      new Argument('[what]', 'what to write (default: a profile, a mix and objectives)').choices(KIND_NAMES),
    )
    .argument('[name]', 'of the file, without its ending (default: as what it is)')
    .option('--json', 'print a JSON object')
    .action(async (what, name, options) =>
      done((await import('../commands/init.ts')).runInit({ ...options, what, name, io })),
    )
}
