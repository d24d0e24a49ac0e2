import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { wholeNumber } from './option-values.ts'

/** The subcommands of `breakwater runs`; without one it lists. */
export function runsCommand(runs: Command, io: Io, done: Done): void {
  runs
    .description('list the runs of a folder, or remove old ones')
    .usage('[dir] [options] | prune [dir] [options]')
  runs
    .command('list', { isDefault: true })
    .description('list them, the newest first')
    .argument('[dir]', 'a folder that holds runs (default: runs/)')
    .option('--json', 'print a JSON object')
    .action(async (dir, options) =>
      done(await (await import('../commands/runs.ts')).runRunsList({ ...options, dir, io })),
    )
  runs
    .command('prune')
    .description('remove runs that have ended, and tell each; asks nothing')
    .argument('[dir]', 'a folder that holds runs (default: runs/)')
    .option('--keep <number>', 'so many of the newest stay', wholeNumber(999_999))
    .option('--older-than <duration>', 'what ended less long ago stays, such as 30d')
    .option('--dry-run', 'tell what would go, and remove nothing')
    .option('--json', 'print a JSON object')
    .action(async (dir, options) =>
      done(await (await import('../commands/runs.ts')).runRunsPrune({ ...options, dir, io })),
    )
}
