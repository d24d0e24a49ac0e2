import { type Command, Option } from 'commander'
import type { Io } from '../io.ts'
import {
  address,
  type Done,
  durationOption,
  fromDumpOption,
  GROUPS,
  mutantOption,
  port,
  stubOptions,
  wholeNumber,
} from './options.ts'

export function stubCommand(stub: Command, io: Io, done: Done): void {
  stub.alias('up').description('Start a stub exchange to develop and test your client against')
  stubOptions(stub)
    .addOption(mutantOption())
    .addOption(fromDumpOption())
    .option(
      '--faults <plan>',
      'Inject faults from the start with this plan, a name from fixtures/faults or a .json file (default: no faults)',
    )
    .option(
      '--service-rate <rate>',
      'Queue REST requests and serve this many per second (default: no queue)',
      wholeNumber(100_000, { min: 1 }),
    )
    .option(
      '--fan-out-rate <rate>',
      'Let each gateway node send this many events per second to its sockets; later ones wait (default: no limit)',
      wholeNumber(1_000_000, { min: 1 }),
    )
    .option(
      '--max-sockets <number>',
      'Open at most this many feed sockets, and reject further ones with 503 (default: no limit)',
      wholeNumber(1_000_000, { min: 1 }),
    )
    .option('--no-observer', 'Disable journal and observer for load tests; they cost 7 to 15 µs per request')
    .option(
      '--no-rate-limit',
      'Disable the rate limit of 1000 requests per second and credential for load tests',
    )
    .optionsGroup('Network:')
    .option(
      '--host <address>',
      'Bind the REST API and the feed to this address, such as 0.0.0.0 in a container; the control API always binds to 127.0.0.1',
      address,
      '127.0.0.1',
    )
    .option('--port <port>', 'Serve the REST API on this port', port, 8080)
    .option('--feed-port <port>', 'Serve the live feed on this port', port, 8081)
    .option('--control-port <port>', 'Serve the control API on this port', port, 8082)
    .option('--tls', 'Serve HTTPS (HTTP/2 and HTTP/1.1) and wss://; --profile also writes the CA certificate')
    .optionsGroup('Nodes:')
    .option(
      '--replicas <number>',
      'Serve public reads from this many lagging replicas; 0 serves them from the primary (default: set by --choices)',
      wholeNumber(NODES_MAX),
    )
    .addOption(
      durationOption(
        '--replica-lag',
        'Set the lag of the last replica, such as 800ms; the others lag less (default: set by --choices)',
        { min: '1ms', max: '30s', unit: 'ms', example: '800ms' },
      ),
    )
    .option(
      '--gateways <number>',
      'Distribute feed sockets across this many gateway nodes, which can restart separately (default: set by --choices)',
      wholeNumber(NODES_MAX, { min: 1 }),
    )
    .addOption(
      durationOption(
        '--rolling-restart',
        'Restart the next node at this interval, such as 60s: its feed sockets close with 1012, its REST connections drain (default: never)',
        { min: '5s', max: '1h', unit: 'ms', example: '60s' },
      ),
    )
    .optionsGroup(GROUPS.output)
    .option('--profile <file>', 'Write a target profile for the stub to this file')
    .option(
      '--show-tokens',
      'Print tokens even if the output is not a terminal (default: only in a terminal)',
    )
    .option('--json', 'Print addresses and tokens as one line of JSON')
    .action(async (options) => done(await (await import('./stub.ts')).runStub({ ...options, io }), 'server'))
}

/** Each replica holds the whole index, and more nodes show a client nothing new. */
const NODES_MAX = 16

export function faultsCommand(faults: Command, io: Io, done: Done): void {
  faults.description('Inject faults into a running stub; reads its token from BREAKWATER_CONTROL_TOKEN')
  controlOptions(
    faults
      .command('apply')
      .description('Apply a fault plan, replacing the active one; an invalid plan changes nothing')
      .argument('<plan>', 'Fault plan, a name from fixtures/faults or a .json file'),
  ).action(async (plan, options) =>
    done(await (await import('./faults.ts')).runFaultsApply({ ...options, plan, io })),
  )
  controlOptions(
    faults.command('list').description('List the active faults and how often each was triggered'),
  ).action(async (options) => done(await (await import('./faults.ts')).runFaultsList({ ...options, io })))
  controlOptions(
    faults
      .command('export')
      .description('Print the decisions of the active plan so far, as a fault plan that repeats them')
      .option(
        '-o, --output <file>',
        'Write the plan to this file, which must be new or a fault plan (default: print it)',
      ),
  ).action(async (options) => done(await (await import('./faults.ts')).runFaultsExport({ ...options, io })))
  controlOptions(
    faults.command('clear').description('Remove all active faults and undo their effects'),
  ).action(async (options) => done(await (await import('./faults.ts')).runFaultsClear({ ...options, io })))
}

function controlOptions(command: Command): Command {
  return command
    .option('--control <url>', 'Connect to the control API at this URL (default: http://127.0.0.1:8082)')
    .addOption(
      new Option(
        '--target <file>',
        'Read the control API address from this profile, as written by `stub --profile`',
      ).conflicts('control'),
    )
    .option('--json', "Print the control API's response as JSON")
}
