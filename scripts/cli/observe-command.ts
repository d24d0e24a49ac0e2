import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'

/** `breakwater observe`. */
export function observeCommand(observe: Command, io: Io, done: Done): void {
  observe
    .description('tell what the clients of a running stub do wrong, as it happens')
    .option('--control <url>', 'the control API of the stub (default: http://127.0.0.1:8082)')
    .addOption(new Option('--target <file>', 'a target profile that names it').conflicts('control'))
    .option('--for <duration>', 'end after so long, such as 60s (default: at Ctrl-C)')
    .option('--junit <file>', 'write a test case for each rule')
    .option('--rules <glob>', 'judge only the rules whose id matches', '*')
    .option('--all', 'tell what was found before as well')
    .option('--json', 'print a JSON object a line; with --list-rules, one list')
    .option('--list-rules', 'list the rules, and end')
    .action(async (options) =>
      done(await (await import('../commands/observe.ts')).runObserve({ ...options, io })),
    )
}
