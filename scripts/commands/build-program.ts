import { Argument, Command, Option } from 'commander'
import { EXIT } from '../../contract/breakwater-error.ts'
import { KIND_NAMES } from '../init/kind-names.ts'
import { type Io, type Loudness, orInterrupted } from '../io.ts'
import { VERSION } from '../project.ts'
import { k8sCommand } from './k8s-command.ts'
import {
  type CommandPart,
  confirmOption,
  type Done,
  loadOption,
  loudnessOptions,
  mutantOption,
  notEmpty,
  outcomeOptions,
  seed,
  stubOptions,
  targetOption,
  wholeNumber,
} from './options.ts'
import { capacityCommand, compareCommand, loadCommand, reproCommand, smokeCommand } from './run-commands.ts'
import { faultsCommand, stubCommand } from './stub-commands.ts'
import { commandNamed } from './tell-error.ts'

const BLOCKS_MAX = 999_999_999

/** `breakwater chain`. */
function chainCommand(chain: Command, io: Io, done: Done): void {
  chain
    .description('run the simulated chain alone')
    .option('--world <name>', 'a world of fixtures/worlds, or a file of your own', 'calm')
    .option('--seed <number>', 'decides everything', seed, 1)
    .addOption(loadOption())
    .option('--blocks <number>', 'how many blocks to mine', wholeNumber(BLOCKS_MAX), 1000)
    .addOption(
      new Option('--check <blocks>', 'check the invariants every so many blocks, and at the end')
        .argParser(wholeNumber(BLOCKS_MAX, { min: 1 }))
        .conflicts('load'),
    )
    .option('--events <file>', 'write every event and every refusal, a JSON object a line')
    .option('--dump <file>', 'write the world as it stands at the end')
    .option('--json', 'print one JSON object')
    .action(async (options) => {
      await (await import('./chain.ts')).runChain({ ...options, io })
      done(EXIT.ok)
    })
}

const SHELLS = ['bash', 'zsh', 'fish']

/** `breakwater completion`. */
function completionCommand(completion: Command, io: Io, done: Done): void {
  completion
    .description('print the script by which a shell completes the command line')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action(async (shell) => {
      // Only here: it reads the whole command line, which this is a part of.
      const { runCompletion } = await import('./completion.ts')
      done(runCompletion({ io, shell }))
    })
}

/** In the order in which help lists them. What a command does is loaded when it is called: all together take a second to load. */
const COMMANDS: readonly (readonly [name: string, part: CommandPart])[] = [
  ['smoke', smokeCommand],
  ['run', runCommand],
  ['repro', reproCommand],
  ['capacity', capacityCommand],
  ['load', loadCommand],
  ['faults', faultsCommand],
  ['init', initCommand],
  ['stub', stubCommand],
  ['observe', observeCommand],
  ['chain', chainCommand],
  ['report', reportCommand],
  ['compare', compareCommand],
  ['runs', runsCommand],
  ['merge', mergeCommand],
  ['k8s', k8sCommand],
  ['doctor', doctorCommand],
  ['completion', completionCommand],
]

/** The whole command line as commander knows it; nothing is run yet. */
export function buildProgram(
  io: Io,
  done: Done,
  onLoudness: (loudness: Loudness) => void = () => {},
): Command {
  const program = new Command('breakwater')
    .description('Load-testing and simulation harness for an on-chain concentrated-liquidity exchange')
    .version(VERSION, '-V, --version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.document(text.trimEnd()), writeErr: () => {} })
    .showSuggestionAfterError()
  loudnessOptions(program, onLoudness)
  for (const [name, part] of COMMANDS) part(program.command(name), io, done)
  addHelp(program)
  for (const command of [...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().copyInheritedSettings(program)
    const texts = [...command.options.filter(({ required }) => required), ...command.registeredArguments]
    for (const text of texts) if (text.parseArg === undefined) text.argParser(notEmpty)
  }
  return program
}

function addHelp(program: Command): void {
  program
    .command('help')
    .description('display help for a command')
    .argument('[command]')
    .action(async (name) => {
      if (name === undefined) program.help()
      commandNamed(program, name)?.help()
      // Refused in the same words as anywhere else.
      await program.parseAsync([name], { from: 'user' })
    })
}

/** `breakwater merge`. */
function mergeCommand(merge: Command, io: Io, done: Done): void {
  merge
    .description('make one run of those that several generators made together, and judge the whole')
    .argument('<dir...>', 'their run folders', (dir: string, before: string[] = []) => [...before, dir])
    .option('--slo <file>', 'judge by these objectives in place of the runs’ own')
    .option('--out <dir>', 'the merged run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
    .action(async (dirs, options) =>
      done(await (await import('./merge.ts')).runMerge({ ...options, dirs, io })),
    )
}

/** `breakwater init`. */
function initCommand(init: Command, io: Io, done: Done): void {
  init
    .description('write a profile, a mix and objectives to start from, with comments; or a scenario')
    .addArgument(
      new Argument('[what]', 'what to write (default: a profile, a mix and objectives)').choices(KIND_NAMES),
    )
    .argument('[name]', 'of the file, without its ending (default: as what it is)')
    .option('--json', 'print a JSON object')
    .action(async (what, name, options) =>
      done((await import('./init.ts')).runInit({ ...options, what, name, io })),
    )
}

/** `breakwater doctor`. */
function doctorCommand(doctor: Command, io: Io, done: Done): void {
  doctor
    .description(
      'tell what of this machine, or of a target, keeps runs from working, and what to do about it',
    )
    .option(
      '--target <file>',
      'look at this target, by its profile, as well: a few requests, all of them GET',
    )
    .option('--json', 'print a JSON object')
    .action(async (options) => done(await (await import('./doctor.ts')).runDoctor({ ...options, io })))
}

/** `breakwater observe`. */
function observeCommand(observe: Command, io: Io, done: Done): void {
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
    .action(async (options) => done(await (await import('./observe.ts')).runObserve({ ...options, io })))
}

/** `breakwater run`. */
function runCommand(run: Command, io: Io, done: Done): void {
  run
    .description('run a scenario of your own; `init scenario` writes one to start from')
    .argument('<file>', 'a k6 script')
  stubOptions(run)
    .addOption(mutantOption())
    .addOption(targetOption())
    .addOption(confirmOption())
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: at most 1 % errors)')
    .option('--include-slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
  outcomeOptions(run).action(async (file, options) =>
    done(await (await import('./run.ts')).runOwn({ ...options, file, io })),
  )
}

/** `breakwater report`. */
function reportCommand(report: Command, io: Io, done: Done): void {
  report
    .description('render a run folder again, also one of a run that was killed')
    .argument('<run>', 'the run folder')
    .option('--slo <name>', 'judge by these objectives in place of the run’s own')
    .option('--format <list>', 'some of html,json,junit,md (default: all of them)')
    .option('--json', 'print report.json in place of the table')
    .action(async (dir, { slo, format, json }) => {
      const rendered = (await import('./report.ts')).runReport({
        dir,
        slo,
        formats: format,
        json: json === true,
        io,
      })
      done(await orInterrupted(io.interrupted, rendered, 'interrupted before the report was written'))
    })
}

/** The subcommands of `breakwater runs`; without one it lists. */
function runsCommand(runs: Command, io: Io, done: Done): void {
  runs
    .description('list the runs of a folder, or remove old ones')
    .usage('[dir] [options] | prune [dir] [options]')
  runs
    .command('list', { isDefault: true })
    .description('list them, the newest first')
    .argument('[dir]', 'a folder that holds runs (default: runs/)')
    .option('--json', 'print a JSON object')
    .action(async (dir, options) =>
      done(await (await import('./runs.ts')).runRunsList({ ...options, dir, io })),
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
      done(await (await import('./runs.ts')).runRunsPrune({ ...options, dir, io })),
    )
}
