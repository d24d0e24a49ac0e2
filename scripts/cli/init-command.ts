import { Argument, type Command } from 'commander'
import { runInitScenario } from '../commands/init.ts'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** `breakwater init`. */
export function initCommand(init: Command, io: Io, done: Done): void {
  init
    .description('write a file to start from')
    .addArgument(new Argument('<what>', 'what it is').choices(['scenario']))
    .argument('<name>', 'of the file: NAME.k6.ts')
    .action((_what, name) => done(runInitScenario({ name, io })))
}
