import { Argument, type Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

const SHELLS = ['bash', 'zsh', 'fish']

/** `breakwater completion`. */
export function completionCommand(completion: Command, io: Io, done: Done): void {
  completion
    .description('print the script by which a shell completes the command line')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action(async (shell) => {
      // Only here: it reads the whole command line, which this is a part of.
      const { runCompletion } = await import('../commands/completion.ts')
      done(runCompletion({ io, shell }))
    })
}
