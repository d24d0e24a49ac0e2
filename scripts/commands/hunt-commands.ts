import { type Command, Option } from 'commander'
import { CHOICE_SET_NAMES } from '../../contract/scenario-config.ts'
import type { Io } from '../io.ts'
import {
  choicesOption,
  confirmOption,
  type Done,
  durationOption,
  GROUPS,
  liveOption,
  mutantOption,
  port,
  stubOptions,
  targetOption,
  wholeNumber,
} from './options.ts'
import { requireWith } from './strict-command.ts'

export function huntCommand(hunt: Command, io: Io, done: Done): void {
  hunt.description(
    'Search for faults that make your client violate the specification, and shrink them to small cases',
  )
  clientOptions(hunt)
    .optionsGroup(GROUPS.load)
    .addOption(
      durationOption('--budget', 'Stop after this long', {
        min: '1s',
        max: '24h',
        unit: 'ms',
        default: '10m',
      }),
    )
    .option(
      '--max-schedules <number>',
      'Stop after this many schedules (default: no limit)',
      wholeNumber(1_000_000, { min: 1 }),
    )
    .addOption(
      durationOption('--duration', 'End each run after this long, if the client has not exited', {
        min: '1s',
        max: '1h',
        unit: 'ms',
        default: '40s',
      }),
    )
  stubOptions(
    hunt,
    new Option(
      '--choices <set...>',
      'Select how the stub fills in what the specification leaves open; of several sets, each schedule draws one (with --client)',
    )
      .choices(CHOICE_SET_NAMES)
      .default(['default']),
  )
    .optionsGroup(GROUPS.output)
    .option(
      '-o, --output <dir>',
      'Write hunt.html, hunt.json and junit.xml to this folder (default: a new folder in runs/)',
    )
    .option('--cases <dir>', 'Run the cases in this folder first, and write new ones to it', 'cases')
    .option('--json', 'Print hunt.json instead of the text')
    .addOption(liveOption('the findings and client rules'))
    .action(async (options) => {
      mustUseParallel(hunt)
      done(await (await import('./hunt.ts')).runHunt({ ...options, io }))
    })
}

export function certifyCommand(certify: Command, io: Io, done: Done): void {
  certify.description(
    'Examine your client under fixed schedules of faults, and write a statement of the client rules that it passed',
  )
  clientOptions(certify)
    .option(
      '--client-name <name>',
      'Name the client in the statement (default: the name of the file that --client names)',
    )
    .option('--client-version <version>', 'Add this version of the client to the statement (default: none)')
    .optionsGroup(GROUPS.criteria)
    .option(
      '--rules <glob>',
      'Certify only rules whose id matches this pattern, or one of a comma-separated list',
      '*',
    )
  stubOptions(certify)
    .optionsGroup(GROUPS.output)
    .option(
      '-o, --output <dir>',
      'Write statement.json, badge.md and junit.xml to this folder',
      'certificate',
    )
    .option('--json', 'Print the statement as JSON')
    .action(async (options) => {
      mustUseParallel(certify)
      done(await (await import('./certify.ts')).runCertify({ ...options, io }))
    })
}

function mustUseParallel(command: Command): void {
  requireWith(command, {
    needed: 'client',
    options: ['parallel'],
    hint: 'A client that is already running runs once at a time. With --client, Breakwater starts several.',
  })
}

/** A client that the command starts, or one that is already running. */
function clientOptions(command: Command): Command {
  return command
    .optionsGroup('Client:')
    .addOption(
      new Option(
        '--client <command>',
        'Start the client with this shell command for each run (default: wait for one that is already running, at --port)',
      ).conflicts(['port', 'feedPort']),
    )
    .option(
      '--parallel <number>',
      'Run this many clients at the same time (with --client)',
      wholeNumber(64, { min: 1 }),
      4,
    )
    .option('--port <port>', 'Serve the REST API on this port (without --client)', port, 8080)
    .option('--feed-port <port>', 'Serve the live feed on this port (without --client)', port, 8081)
}

export function exploreCommand(explore: Command, io: Io, done: Done): void {
  explore
    .description(
      'Search for sequences of requests and frames that make an exchange violate the specification, and shrink them',
    )
    .optionsGroup(GROUPS.target)
    .addOption(targetOption())
    .addOption(confirmOption('changes'))
    .option(
      '--max-requests <number>',
      'Stop after this many requests (default: no limit on the stub, 50000 on a target)',
      wholeNumber(100_000_000, { min: 1 }),
    )
    .option('--include-slow', 'Allow waits of 16 minutes on a target, until access sessions expire')
    .optionsGroup(GROUPS.load)
    .addOption(
      durationOption('--budget', 'Stop after this long', {
        min: '1s',
        max: '24h',
        unit: 'ms',
        default: '5m',
      }),
    )
    .option(
      '--max-sequences <number>',
      'Stop after this many sequences (default: no limit)',
      wholeNumber(10_000_000, { min: 1 }),
    )
    .option(
      '--max-findings <number>',
      'Stop after this many violated rules (default: no limit)',
      wholeNumber(10_000, { min: 1 }),
    )
    .option(
      '--commands <glob>',
      'Use only commands whose name matches this pattern, or one of a comma-separated list',
      '*',
    )
    .addOption(
      new Option('--case <file>', 'Run only the sequence of this case, three to six times').conflicts([
        'budget',
        'maxSequences',
        'maxFindings',
        'maxRequests',
        'commands',
        'world',
        'seed',
        'choices',
        'mutant',
        'output',
        'cases',
      ]),
    )
  stubOptions(explore, choicesOption().default('default'))
    .addOption(mutantOption())
    .optionsGroup(GROUPS.output)
    .option(
      '-o, --output <dir>',
      'Write explore.html, explore.json and junit.xml to this folder (default: a new folder in runs/)',
    )
    .option('--cases <dir>', 'Write a case for each violation to this folder', 'cases')
    .option('--json', 'Print explore.json instead of the text')
    .action(async (options) => done(await (await import('./explore.ts')).runExplore({ ...options, io })))
}
