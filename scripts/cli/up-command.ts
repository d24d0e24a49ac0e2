import type { Command } from 'commander'
import type { Io } from '../io.ts'
import type { Done } from './command-part.ts'
import { address, wholeNumber } from './option-values.ts'
import { loadOption, mutantOption, stubOptions } from './shared-options.ts'

/** `breakwater up`. */
export function upCommand(up: Command, io: Io, done: Done): void {
  up.description('run the stub exchange alone, for a client of yours')
  stubOptions(up)
    .addOption(mutantOption())
    .addOption(loadOption())
    .option(
      '--host <address>',
      'where REST interface and feed listen, such as 0.0.0.0 in a container; the control API stays on 127.0.0.1',
      address,
      '127.0.0.1',
    )
    .option('--port <port>', 'of the REST interface', port, 8080)
    .option('--feed-port <port>', 'of the live feed', port, 8081)
    .option('--control-port <port>', 'of the control API', port, 8082)
    .option('--profile <file>', "write the stub's own target profile there")
    .option(
      '--faults <plan>',
      'what goes wrong from the start: a plan of fixtures/faults, or a .json file of your own',
    )
    .option(
      '--service-rate <number>',
      'let REST requests wait in a queue that serves so many a second',
      wholeNumber(100_000, { min: 1 }),
    )
    .option(
      '--no-observer',
      'for load: without journal and observer, which cost each request some 7 to 15 µs',
    )
    .option('--no-rate-limit', 'for load: without the limit of 1000 requests a second of each credential')
    .option('--json', 'print where everything is as a JSON object, on one line')
    .action(async (options) =>
      done(await (await import('../commands/up.ts')).runUp({ ...options, io }), 'server'),
    )
}

const port = wholeNumber(65_535, { what: 'a port', minShown: '0 (any)' })
