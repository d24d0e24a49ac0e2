import { type Command, InvalidArgumentError } from 'commander'
import type { ExitCode } from '../../contract/breakwater-error.ts'
import { runRunsList, runRunsPrune } from '../commands/runs.ts'
import type { Io } from '../io.ts'

/** The subcommands of `breakwater runs`; without one it lists. */
export function buildRunsCommand(runs: Command, io: Io, done: (code: ExitCode) => void): void {
  runs
    .description('list the runs of a folder, or remove old ones')
    .usage('[dir] [options] | prune [dir] [options]')
  runs
    .command('list', { isDefault: true })
    .description('list them, the newest first')
    .argument('[dir]', 'a folder that holds runs (default: runs/)')
    .option('--json', 'print a JSON object')
    .action(async (dir, options) => done(await runRunsList({ ...options, dir, io })))
  runs
    .command('prune')
    .description('remove runs that have ended, and tell each; asks nothing')
    .argument('[dir]', 'a folder that holds runs (default: runs/)')
    .option('--keep <number>', 'so many of the newest stay', keepCount)
    .option('--older-than <duration>', 'what ended less long ago stays, such as 30d')
    .option('--dry-run', 'tell what would go, and remove nothing')
    .option('--json', 'print a JSON object')
    .action(async (dir, options) => done(await runRunsPrune({ ...options, dir, io })))
}

function keepCount(text: string): number {
  if (!/^[0-9]{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 0 to 999999.')
  return Number(text)
}
