import type { Command, OptionValues } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { seed } from './option-values.ts'
import { choicesOption, confirmOption, mutantOption, outcomeOptions } from './shared-options.ts'

/** `breakwater repro`, and the commands below it. */
export function reproCommand(repro: Command, io: Io, done: Done): void {
  repro
    .description('play a case, a bug from the field, again at will, with a timeline of who did what')
    .option('--save [name]', 'make a case of what failed in the newest run of smoke: NAME.json')
    .option('--run <dir>', 'with --save: of that run')
    .option('--json', 'with --save: print the case, and the file that it is in')
    // What comes here is no command of those below.
    .argument('[word]')
    .usage('[options] [command]')
    .action(async (word, { save, run, json }) =>
      done(await (await import('../commands/repro.ts')).runReproSave({ io, word, name: save, run, json })),
    )
  repro
    .command('list')
    .description('list the cases')
    .option('--json', 'print them whole')
    .action(async (_, list) =>
      done(await (await import('../commands/repro.ts')).runReproList({ ...whole(list), io })),
    )
  repro
    .command('show')
    .description('tell the story of a case, and what it judges')
    .argument('<case>', 'a case of fixtures/cases, or a file of your own')
    .option('--json', 'print it whole')
    .action(async (name, _, show) =>
      done(await (await import('../commands/repro.ts')).runReproShow({ ...whole(show), case: name, io })),
    )
  const run = repro
    .command('run')
    .description('play a case; the stub takes some seconds')
    .argument('<case>', 'a case of fixtures/cases, or a file of your own')
    .option('--seed <number>', 'decides everything the stub does (default: as the case says)', seed)
    .addOption(choicesOption())
    .addOption(mutantOption())
    .option('--target <file>', 'a target profile; without it, the stub exchange')
    .addOption(confirmOption())
    .option('--include-slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
  outcomeOptions(run, { instead: 'timeline and table' }).action(async (name, _, play) =>
    done(await (await import('../commands/repro.ts')).runRepro({ ...whole(play), case: name, io })),
  )
}

/** With --json, which `repro` takes for its own wherever it stands. */
function whole(command: Command): OptionValues {
  return { ...command.opts(), ...(command.parent?.opts().json ? { json: true } : {}) }
}
