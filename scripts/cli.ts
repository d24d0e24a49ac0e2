/** The command line: the table of commands, and how an error is told. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { BreakwaterError, EXIT, type ExitCode } from '../contract/breakwater-error.ts'
import { CHOICE_SETS } from '../simulator/choices/choices.ts'
import { buildCapacityCommand, buildLoadCommand } from './capacity/build-capacity-command.ts'
import { runChain } from './commands/chain.ts'
import { runInitScenario } from './commands/init.ts'
import { runObserve } from './commands/observe.ts'
import { runReport } from './commands/report.ts'
import { runRepro, runReproList, runReproSave, runReproShow } from './commands/repro.ts'
import { runOwn } from './commands/run.ts'
import { runSmoke } from './commands/smoke.ts'
import { runUp } from './commands/up.ts'
import { baselineOptions } from './compare/baseline-options.ts'
import { buildCompareCommand } from './compare/build-compare-command.ts'
import { buildFaultsCommand } from './faults/build-faults-command.ts'
import { orInterrupted } from './interrupted.ts'
import type { Io } from './io.ts'
import { buildMergeCommand } from './merge/build-merge-command.ts'
import { paintFor } from './paint.ts'
import { buildRunsCommand } from './past-runs/build-runs-command.ts'
import { VERSION } from './version.ts'

/** Runs one command line and returns its exit code. Errors are told on stderr: what, and what to do; never a stack trace. */
export async function runCli(io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok
  let isServer = false
  const program = buildProgram(io, (code, kind) => {
    exitCode = code
    isServer = kind === 'server'
  })
  try {
    await program.parseAsync([...io.argv], { from: 'user' })
  } catch (error) {
    exitCode = tellError(error, { program, io })
  }
  // One code, whatever the command was doing at the time; only a server knows no other end.
  return io.interrupted.aborted && !isServer ? EXIT.interrupted : exitCode
}

function buildProgram(io: Io, done: (code: ExitCode, kind?: 'server') => void): Command {
  const program = new Command('breakwater')
    .description('Load-testing and simulation harness for an on-chain concentrated-liquidity exchange')
    .version(VERSION, '-V, --version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout(text.trimEnd()), writeErr: () => {} })
    .showSuggestionAfterError()

  baselineOptions(
    stubOptions(
      program
        .command('smoke')
        .description('hold a target to the rules of the specification; the stub takes some 20 seconds'),
    ),
  )
    .addOption(targetOption())
    .addOption(confirmOption())
    .option('--max-requests <number>', 'end after so many requests (a target: 10000)', requestCount)
    .option('--max-duration <seconds>', 'end after so long (300; with --slow 3000)', seconds)
    .option('--rules <glob>', 'judge only the rules whose id matches', '*')
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: smoke)')
    .option(
      '--mix <name>',
      'the load beside the probes: a mix of fixtures/mixes (default: smoke), or a file of your own',
    )
    .option('--no-load', 'probes only: leave out the load that latency is measured on')
    .option('--slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
    .option('--waivers <file>', 'failures to put up with for a while: [{rule, reason, until}]')
    .option('--strict', 'exit 4 where a verdict is inconclusive')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
    .option('--list-rules', 'list the rules, and end')
    .option('--list-mutants', 'list the mutants, and end')
    .action(async (options) => done(await runSmoke({ ...options, io })))

  stubOptions(
    program
      .command('run')
      .description('run a scenario of your own; `init scenario` writes one to start from')
      .argument('<file>', 'a k6 script'),
  )
    .addOption(targetOption())
    .addOption(confirmOption())
    .option('--slo <name>', 'objectives of fixtures/slos, or a .json file (default: at most 1 % errors)')
    .option('--slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
    .option('--strict', 'exit 4 where a verdict is inconclusive')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of the table')
    .action(async (file, options) => done(await runOwn({ ...options, file, io })))

  buildRepro(program.command('repro'), io, done)

  buildCapacityCommand(program.command('capacity'), io, done)
  buildLoadCommand(program.command('load'), io, done)
  buildFaultsCommand(program.command('faults'), io, done)

  program
    .command('init')
    .description('write a file to start from')
    .argument('<what>', 'scenario', oneOf(['scenario']))
    .argument('<name>', 'of the file: NAME.k6.ts')
    .action((_what, name) => done(runInitScenario({ name, io })))

  stubOptions(program.command('up').description('run the stub exchange alone, for a client of yours'))
    .addOption(loadOption())
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
      serviceRate,
    )
    .option(
      '--no-observer',
      'for load: without journal and observer, which cost each request some 7 to 15 µs',
    )
    .action(async (options) => done(await runUp({ ...options, io }), 'server'))

  program
    .command('observe')
    .description('tell what the clients of a running stub do wrong, as it happens')
    .option('--control <url>', 'the control API of the stub (default: http://127.0.0.1:8082)')
    .addOption(new Option('--target <file>', 'a target profile that names it').conflicts('control'))
    .option('--for <duration>', 'end after so long, such as 60s (default: at Ctrl-C)')
    .option('--junit <file>', 'write a test case for each rule')
    .option('--rules <glob>', 'judge only the rules whose id matches', '*')
    .option('--all', 'tell what was found before as well')
    .option('--json', 'print a JSON object a line')
    .option('--list-rules', 'list the rules, and end')
    .action(async (options) => done(await runObserve({ ...options, io })))

  program
    .command('chain')
    .description('run the simulated chain alone')
    .option('--world <name>', 'a world of fixtures/worlds, or a file of your own', 'calm')
    .option('--seed <number>', 'decides everything', seed, 1)
    .addOption(loadOption())
    .option('--blocks <number>', 'how many blocks to mine', blockCount, 1000)
    .addOption(
      new Option('--check <blocks>', 'check the invariants every so many blocks, and at the end')
        .argParser(checkEvery)
        .conflicts('load'),
    )
    .option('--events <file>', 'write every event and every refusal, a JSON object a line')
    .option('--dump <file>', 'write the world as it stands at the end')
    .option('--json', 'print one JSON object')
    .action((options) => runChain({ ...options, io }))

  program
    .command('report')
    .description('render a run folder again, also one of a run that was killed')
    .argument('<run>', 'the run folder')
    .option('--slo <name>', 'judge by these objectives in place of the run’s own')
    .option('--format <list>', 'some of html,json,junit,md (default: all of them)')
    .option('--json', 'print report.json in place of the table')
    .action(async (dir, { slo, format, json }) => {
      const { stdout } = io
      const report = runReport({
        dir,
        slo,
        formats: format,
        json: json === true,
        stdout,
        paint: paintFor(io),
      })
      done(await orInterrupted(io.interrupted, report, 'interrupted before the report was written'))
    })

  buildCompareCommand(program.command('compare'), io, done)

  buildRunsCommand(program.command('runs'), io, done)

  buildMergeCommand(program.command('merge'), io, done)

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

  for (const command of [...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().copyInheritedSettings(program)
    const texts = [...command.options.filter(({ required }) => required), ...command.registeredArguments]
    for (const text of texts) if (text.parseArg === undefined) text.argParser(notEmpty)
  }
  return program
}

function buildRepro(repro: Command, io: Io, done: (code: ExitCode) => void): void {
  repro
    .description('play a case, a bug from the field, again at will, with a timeline of who did what')
    .option('--save [name]', 'make a case of what failed in the newest run of smoke or capacity: NAME.json')
    .option('--run <dir>', 'with --save: of that run')
    // What comes here is no command of those below.
    .argument('[word]')
    .usage('[options] [command]')
    .action(async (word, { save, run }) => done(await runReproSave({ io, word, name: save, run })))
  repro
    .command('list')
    .description('list the cases')
    .option('--json', 'print them whole')
    .action(async (options) => done(await runReproList({ ...options, io })))
  repro
    .command('show')
    .description('tell the story of a case, and what it judges')
    .argument('<case>', 'a case of fixtures/cases, or a file of your own')
    .option('--json', 'print it whole')
    .action(async (name, options) => done(await runReproShow({ ...options, case: name, io })))
  repro
    .command('run')
    .description('play a case; the stub takes some seconds')
    .argument('<case>', 'a case of fixtures/cases, or a file of your own')
    .option('--seed <number>', 'decides everything the stub does (default: as the case says)', seed)
    .addOption(
      new Option('--choices <set>', 'how the stub fills in what is not specified').choices(
        Object.keys(CHOICE_SETS),
      ),
    )
    .option('--mutant <name>', 'make the stub break one rule')
    .option('--target <file>', 'a target profile; without it, the stub exchange')
    .addOption(confirmOption())
    .option('--slow', 'wait for what takes a quarter of an hour, where the clock cannot be moved')
    .option('--strict', 'exit 4 where a verdict is inconclusive')
    .option('--out <dir>', 'the run folder (default: a new one under runs/)')
    .option('--json', 'print report.json in place of timeline and table')
    .action(async (name, options) => done(await runRepro({ ...options, case: name, io })))
}

function commandNamed(program: Command, name: string | undefined): Command | undefined {
  return program.commands.find((command) => command.name() === name)
}

/** Those that a command line names, but for `help`: a command, and one of its own; what is undefined is none. */
function commandsNamed(
  program: Command,
  argv: readonly string[],
): [Command | undefined, Command | undefined] {
  const outer = argv[0] === 'help' ? undefined : commandNamed(program, argv[0])
  return [outer, outer && commandNamed(outer, argv[1])]
}

function stubOptions(command: Command): Command {
  return command
    .option('--world <name>', 'a world of fixtures/worlds', 'tiny')
    .option('--seed <number>', 'decides everything the stub does', seed, 7)
    .addOption(
      new Option('--choices <set>', 'how the stub fills in what is not specified')
        .choices(Object.keys(CHOICE_SETS))
        .default('plain'),
    )
    .option('--mutant <name>', 'make the stub break one rule')
}

/** What the stub does is nothing to another exchange. */
function targetOption(): Option {
  return new Option('--target <file>', 'a target profile; without it, the stub exchange').conflicts([
    'choices',
    'world',
  ])
}

function confirmOption(): Option {
  return new Option(
    '--confirm <host>',
    "the target's host, where its profile allows load and changes elsewhere",
  )
}

function loadOption(): Option {
  return new Option('--load <file>', 'go on from a dump, in place of --world and --seed').conflicts([
    'world',
    'seed',
  ])
}

const seed = wholeNumber('a whole number', 2 ** 32 - 1)
const blockCount = wholeNumber('a whole number', 999_999_999)
const requestCount = wholeNumber('a whole number', 999_999_999, { min: 10 })
const seconds = wholeNumber('a whole number', 86_400, { min: 10 })
const checkEvery = wholeNumber('a whole number', 999_999_999, { min: 1 })
const serviceRate = wholeNumber('a whole number', 100_000, { min: 1 })
const port = wholeNumber('a port', 65_535, { minShown: '0 (any)' })

function wholeNumber(
  what: string,
  max: number,
  { min = 0, minShown = String(min) }: { min?: number; minShown?: string } = {},
): (text: string) => number {
  return (text) => {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(`Expected ${what} from ${minShown} to ${max}.`)
    return number
  }
}

function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (!words.includes(text)) throw new InvalidArgumentError(`Expected ${words.join(' or ')}.`)
    return text
  }
}

function notEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a text that is not empty.')
  return text
}

function tellError(error: unknown, { program, io }: { program: Command; io: Io }): ExitCode {
  if (error instanceof CommanderError) {
    // Help and version come as errors too; their text is already out.
    if (error.exitCode === 0) return EXIT.ok
    const [outer, inner] = commandsNamed(program, io.argv)
    const help =
      error.code === 'commander.help'
        ? `${outer === undefined ? '' : `${outer.name()}: `}name a command: ${(outer ?? program).commands
            .map((each) => each.name())
            .filter((name) => name !== 'help')
            .join(', ')}`
        : error.message.replace(/^error: /, '')
    const line = ['breakwater', outer?.name(), inner?.name(), '--help'].filter(Boolean).join(' ')
    io.stderr(`breakwater: ${help}\n  Try \`${line}\`.\n`)
    return EXIT.usage
  }
  if (error instanceof BreakwaterError) {
    io.stderr(`breakwater: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`)
    return error.exitCode
  }
  const message = error instanceof Error ? error.message : String(error)
  io.stderr(`breakwater: something went wrong in breakwater itself: ${message}\n`)
  io.stderr('  Please report it with the command line. BREAKWATER_DEBUG=1 shows where.\n')
  if (io.env.BREAKWATER_DEBUG && error instanceof Error) io.stderr(`${error.stack}\n`)
  return EXIT.environment
}
