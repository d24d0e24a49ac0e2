import { type Command, CommanderError } from 'commander'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { LOUDNESS_WORDS } from './options.ts'

/** Prints an error to stderr and returns its exit code. Prints a stack trace only with BREAKWATER_DEBUG. */
export function tellError(error: unknown, { program, io }: { program: Command; io: Io }): ExitCode {
  if (error instanceof CommanderError) return printUsageError(error, { program, io })
  if (error instanceof BreakwaterError) {
    io.stderr(`breakwater: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`)
    return error.exitCode
  }
  io.stderr(ownErrorText(error, io.env))
  return EXIT.environment
}

/** The message for an unexpected error: a bug in Breakwater. */
export function ownErrorText(error: unknown, env: NodeJS.ProcessEnv): string {
  const message = error instanceof Error ? error.message : String(error)
  const stack = env.BREAKWATER_DEBUG && error instanceof Error ? `${error.stack}\n` : ''
  return `breakwater: internal error: ${message}
  Please report it with the command line. BREAKWATER_DEBUG=1 shows the stack trace.
${stack}`
}

function printUsageError(error: CommanderError, { program, io }: { program: Command; io: Io }): ExitCode {
  // Help and version are errors too, and already printed.
  if (error.exitCode === 0) return EXIT.ok
  const [outer, inner] = commandsNamed(program, io.argv)
  const problem =
    error.code === 'commander.help' ? commandsText(program, outer) : error.message.replace(/^error: /, '')
  const line = ['breakwater', outer?.name(), inner?.name(), '--help'].filter(Boolean).join(' ')
  io.stderr(`breakwater: ${problem}\n  Try \`${line}\`.\n`)
  return EXIT.usage
}

/** For a command line without a command, or without a subcommand. */
function commandsText(program: Command, outer: Command | undefined): string {
  const command = outer ?? program
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name())
    .filter((name) => name !== 'help')
  return `${outer === undefined ? '' : `${outer.name()}: `}expected a command: ${names.join(', ')}`
}

/** Finds a subcommand by name or alias. */
export function commandNamed(outer: Command, name: string | undefined): Command | undefined {
  return outer.commands.find((command) => [command.name(), ...command.aliases()].some((own) => own === name))
}

/** Returns the command and the subcommand in a command line, except `help`. */
function commandsNamed(
  program: Command,
  argv: readonly string[],
): [outer: Command | undefined, inner: Command | undefined] {
  const [first, second] = argv.filter((word) => !LOUDNESS_WORDS.includes(word))
  const outer = first === 'help' ? undefined : commandNamed(program, first)
  return [outer, outer && commandNamed(outer, second)]
}
