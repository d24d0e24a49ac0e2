import { Argument, type Command, Option } from 'commander'
import { EXIT } from '../../contract/breakwater-error.ts'
import { KIND_NAMES } from '../init/kind-names.ts'
import { type Io, orInterrupted, type Verbosity } from '../io.ts'
import { VERSION } from '../project.ts'
import { addExamples } from './command-help.ts'
import { compareCommand, runsCommand, trendCommand } from './compare-commands.ts'
import { certifyCommand, exploreCommand, huntCommand } from './hunt-commands.ts'
import { k8sCommand } from './k8s-command.ts'
import {
  type CommandPart,
  confirmOption,
  type Done,
  durationOption,
  fromDumpOption,
  GROUPS,
  historyOption,
  mutantOption,
  notEmpty,
  outcomeOptions,
  seed,
  stubOptions,
  targetOption,
  verbosityOptions,
  wholeNumber,
} from './options.ts'
import { capacityCommand, loadCommand, reproCommand, smokeCommand } from './run-commands.ts'
import { buildCommandPath, StrictCommand } from './strict-command.ts'
import { faultsCommand, stubCommand } from './stub-commands.ts'

const BLOCKS_MAX = 999_999_999

function chainCommand(chain: Command, io: Io, done: Done): void {
  chain
    .description('Run only the simulated chain, without the exchange')
    .option('--world <name>', 'Run this world, a name from fixtures/worlds or a .json file', 'calm')
    .option('--seed <number>', 'Set the seed; the same seed gives the same blocks', seed, 1)
    .addOption(fromDumpOption())
    .option('--blocks <number>', 'Mine this many blocks', wholeNumber(BLOCKS_MAX), 1000)
    .addOption(
      new Option(
        '--check <number>',
        'Check the invariants each time this many blocks are mined, and at the end (default: no checks)',
      )
        .argParser(wholeNumber(BLOCKS_MAX, { min: 1 }))
        .conflicts('fromDump'),
    )
    .option('--events <file>', 'Write every event and every rejection to this file, one JSON object per line')
    .option('--dump <file>', 'Write the final state of the world to this file')
    .option('--json', 'Print the result as one JSON object')
    .action(async (options) => {
      await (await import('./chain.ts')).runChain({ ...options, io })
      done(EXIT.ok)
    })
}

const SHELLS = ['bash', 'zsh', 'fish']

function completionCommand(completion: Command, io: Io, done: Done): void {
  completion
    .description('Print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'Shell to print the script for').choices(SHELLS))
    .action(async (shell) => {
      // Imported here because it imports this file.
      const { runCompletion } = await import('./completion.ts')
      done(runCompletion({ io, shell }))
    })
}

/**
 * In the order of `breakwater --help`. Each command imports its implementation when it is called: importing all of them takes a
 * second.
 */
const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, CommandPart>>>> = {
  'Test:': {
    smoke: smokeCommand,
    load: loadCommand,
    capacity: capacityCommand,
    compare: compareCommand,
    repro: reproCommand,
    explore: exploreCommand,
    hunt: huntCommand,
    certify: certifyCommand,
    run: runCommand,
  },
  'Simulate:': {
    stub: stubCommand,
    faults: faultsCommand,
    observe: observeCommand,
    chain: chainCommand,
  },
  'Results:': {
    report: reportCommand,
    runs: runsCommand,
    trend: trendCommand,
    merge: mergeCommand,
  },
  'Setup:': { init: initCommand, doctor: doctorCommand, completion: completionCommand },
  'Cluster:': { k8s: k8sCommand },
}

/** Builds the commander program. Runs nothing. */
export function buildProgram(
  io: Io,
  done: Done,
  onVerbosity: (verbosity: Verbosity) => void = () => {},
): Command {
  const program = new StrictCommand('breakwater')
    .description(
      'Test the REST and WebSocket API of an on-chain exchange: conformance, capacity, and client bugs',
    )
    .version(VERSION, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help for the command')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.document(text.trimEnd()), writeErr: () => {} })
  verbosityOptions(program, onVerbosity)
  for (const [heading, commands] of Object.entries(COMMAND_GROUPS)) {
    program.commandsGroup(heading)
    for (const [name, part] of Object.entries(commands)) part(program.command(name), io, done)
  }
  addHelp(program)
  addExamples(program, '')
  for (const command of [...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().copyInheritedSettings(program)
    if (command.commands.length > 0) command.helpCommand('help [command]', 'Show help for a command')
    requireInUsage(command)
    addExamples(command, buildCommandPath(command))
    const texts = [...command.options.filter(({ required }) => required), ...command.registeredArguments]
    for (const text of texts) if (text.parseArg === undefined) text.argParser(notEmpty)
  }
  return program
}

function requireInUsage(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  if (required.length > 0) command.usage(`${required.join(' ')} ${command.usage()}`)
}

function addHelp(program: Command): void {
  program
    .command('help')
    .helpGroup('Setup:')
    .description('Show help for a command')
    .argument('[command]', 'Command to describe')
    .action(async (name) => {
      if (name === undefined) program.help()
      program.commands.find((command) => [command.name(), ...command.aliases()].includes(name))?.help()
      // Rejects an unknown name with the usual message.
      await program.parseAsync([name], { from: 'user' })
    })
}

function mergeCommand(merge: Command, io: Io, done: Done): void {
  merge
    .description('Merge the runs of several load generators into one run and judge it as a whole')
    .argument('<dir...>', 'Run folders to merge', (dir: string, before: string[] = []) => [...before, dir])
    .option(
      '--slo <name>',
      "Check these objectives instead of the runs' own, a name from fixtures/slos or a .json file",
    )
    .option('-o, --output <dir>', 'Write the merged run to this folder (default: a new folder in runs/)')
    .option('--json', 'Print report.json instead of the table')
    .action(async (dirs, options) =>
      done(await (await import('./merge.ts')).runMerge({ ...options, dirs, io })),
    )
}

function initCommand(init: Command, io: Io, done: Done): void {
  init
    .description('Create a profile, a mix and objectives with comments, or a custom scenario')
    .addArgument(
      new Argument('[what]', 'Kind of file; default: a profile, a mix and objectives').choices(KIND_NAMES),
    )
    .argument('[name]', 'File name without extension (default: the kind, such as `profile`)')
    .option('--json', 'Print the result as one JSON object')
    .action(async (what, name, options) =>
      done((await import('./init.ts')).runInit({ ...options, what, name, io })),
    )
}

function doctorCommand(doctor: Command, io: Io, done: Done): void {
  doctor
    .description('Check this machine and a target for problems, and show how to fix them')
    .option('--target <file>', 'Also check the target of this profile, with at most five GET requests')
    .option('--sign-in', 'Also sign in at the target with one wallet, read once, and log out')
    .addOption(confirmOption('the sign-in'))
    .option('--json', 'Print the result as one JSON object')
    .action(async (options) => done(await (await import('./doctor.ts')).runDoctor({ ...options, io })))
}

function observeCommand(observe: Command, io: Io, done: Done): void {
  observe
    .description('Report violations of the specification by clients of a running stub, as they happen')
    .option('--control <url>', 'Connect to the control API at this URL (default: http://127.0.0.1:8082)')
    .addOption(
      new Option(
        '--target <file>',
        'Read the control API address from this profile, as written by `stub --profile`',
      ).conflicts('control'),
    )
    .addOption(
      durationOption('--duration', 'Stop after this long, such as 60s (default: until Ctrl-C)', {
        min: '0s',
        max: '24h',
        unit: 'ms',
        example: '60s',
      }),
    )
    .option('--junit <file>', 'Write a JUnit file with a test case for each rule')
    .option(
      '--rules <glob>',
      'Check only rules whose id matches this pattern, or one of a comma-separated list',
      '*',
    )
    .option('--all', 'Also report findings from before the start of this command')
    .option('--json', 'Print one JSON object per line; with --list-rules, one array')
    .option('--list-rules', 'List the rules and exit')
    .action(async (options) => done(await (await import('./observe.ts')).runObserve({ ...options, io })))
}

function runCommand(run: Command, io: Io, done: Done): void {
  run
    .description('Run a custom k6 scenario; create one with `init scenario`')
    .argument('<file>', 'k6 script to run')
    .optionsGroup(GROUPS.target)
    .addOption(targetOption())
    .addOption(confirmOption())
    .optionsGroup(GROUPS.criteria)
    .option(
      '--slo <name>',
      'Check these objectives, a name from fixtures/slos or a .json file (default: at most 1% errors)',
    )
    .option('--include-slow', 'Wait for steps that take about 15 minutes if Breakwater cannot move the clock')
  stubOptions(run).addOption(mutantOption())
  outcomeOptions(run).action(async (file, options) =>
    done(await (await import('./run.ts')).runOwn({ ...options, file, io })),
  )
}

function reportCommand(report: Command, io: Io, done: Done): void {
  report
    .description('Regenerate the report of a run folder, even if the run was killed')
    .argument('<run>', 'Run folder')
    .option(
      '--slo <name>',
      "Check these objectives instead of the run's own, a name from fixtures/slos or a .json file",
    )
    .option(
      '--format <list>',
      'Write these formats, a comma-separated list of html, json, junit and md (default: all)',
    )
    .addOption(historyOption())
    .option('--json', 'Print report.json instead of the table')
    .addOption(
      new Option(
        '--live',
        'Write nothing; serve the report on this machine until Ctrl-C, with new charts while the run goes on',
      ).conflicts(['format', 'json', 'history']),
    )
    .action(async (dir, { slo, format, history, json, live }) => {
      if (live === true)
        return done(await (await import('./report.ts')).serveReport({ dir, slo, io }), 'server')
      const rendered = (await import('./report.ts')).runReport({
        dir,
        slo,
        history,
        formats: format,
        json: json === true,
        io,
      })
      done(await orInterrupted(io.interrupted, rendered, 'interrupted before the report was written'))
    })
}
