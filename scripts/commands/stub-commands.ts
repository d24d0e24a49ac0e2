import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import {
  address,
  type Done,
  duration,
  loadOption,
  mutantOption,
  stubOptions,
  wholeNumber,
} from './options.ts'

/** `breakwater stub`. */
export function stubCommand(stub: Command, io: Io, done: Done): void {
  stub.alias('up').description('run the stub exchange alone, for a client of yours')
  stubOptions(stub)
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
    .option(
      '--tls',
      'serve HTTPS (HTTP/2 and HTTP/1.1) and wss://, with a certificate whose authority --profile writes too',
    )
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
      '--replicas <number>',
      'serve public reads from so many replicas that are behind; 0 serves them from the primary (default: by --choices)',
      wholeNumber(NODES_MAX),
    )
    .option(
      '--replica-lag <duration>',
      'how far the last replica is behind, the others less (default: by --choices)',
      duration({ minMs: 1, maxMs: 30_000 }),
    )
    .option(
      '--gateways <number>',
      'share the sockets of the feed out among so many gateway nodes, each of which may restart alone (default: by --choices)',
      wholeNumber(NODES_MAX, { min: 1 }),
    )
    .option(
      '--rolling-restart <period>',
      'restart the next node every period: its feed sockets close with 1012, its REST connections drain (default: never)',
      duration({ minMs: 5000, maxMs: 3_600_000 }),
    )
    .option(
      '--no-observer',
      'for load: without journal and observer, which cost each request some 7 to 15 µs',
    )
    .option('--no-rate-limit', 'for load: without the limit of 1000 requests a second of each credential')
    .addOption(
      new Option(
        '--hide-tokens',
        'print no tokens, for a log that others may read, such as that of a pod',
      ).conflicts('json'),
    )
    .option('--json', 'print where everything is as a JSON object, on one line')
    .action(async (options) => done(await (await import('./stub.ts')).runStub({ ...options, io }), 'server'))
}

/** More would show a client nothing new; each replica holds the whole index. */
const NODES_MAX = 16

const port = wholeNumber(65_535, { what: 'a port', minShown: '0 (any)' })

/** The subcommands of `breakwater faults`. */
export function faultsCommand(faults: Command, io: Io, done: Done): void {
  faults.description(
    'what goes wrong at a stub that runs already; its token comes from BREAKWATER_CONTROL_TOKEN',
  )
  controlOptions(
    faults
      .command('apply')
      .description('put a fault plan in force, in place of the one before: as a whole, or not at all')
      .argument('<plan>', 'a plan of fixtures/faults, or a .json file of your own'),
  ).action(async (plan, options) =>
    done(await (await import('./faults.ts')).runFaultsApply({ ...options, plan, io })),
  )
  controlOptions(faults.command('list').description('what is in force, and how often it has acted')).action(
    async (options) => done(await (await import('./faults.ts')).runFaultsList({ ...options, io })),
  )
  controlOptions(faults.command('clear').description('end all faults, and undo what they hold')).action(
    async (options) => done(await (await import('./faults.ts')).runFaultsClear({ ...options, io })),
  )
}

function controlOptions(command: Command): Command {
  return command
    .option('--control <url>', 'the control API of the stub (default: http://127.0.0.1:8082)')
    .addOption(
      new Option('--target <file>', 'a profile that names it, as `stub --profile` writes one').conflicts(
        'control',
      ),
    )
    .option('--json', 'print the answer of the control API')
}
