import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { address, wholeNumber } from './option-values.ts'

/** `breakwater k8s collect`. */
export function k8sCollectCommand(collect: Command, io: Io, done: Done): void {
  collect
    .description('take what the runners of a load measure, while they run: `k8s run` starts it in a pod')
    .option('--host <address>', 'where it listens, such as 0.0.0.0 in a container', address, '127.0.0.1')
    .option('--port <port>', 'of it', wholeNumber(65_535, { what: 'a port', minShown: '0 (any)' }), 8090)
    .requiredOption('--dir <dir>', 'the folder that it keeps the files in; made where it is missing')
    .requiredOption('--token-file <file>', 'holds the token that who appends and reads has to name')
    .option('--json', 'print where it is as a JSON object, on one line')
    .action(async (options) =>
      done(await (await import('../commands/k8s-collect.ts')).runK8sCollect({ ...options, io }), 'server'),
    )
}
