import { type Command, Option } from 'commander'
import type { Loudness } from '../io.ts'

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
