import { type Command, CommanderError } from 'commander'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { LOUDNESS_WORDS } from './options.ts'

/** Tells an error on stderr, what and what to do, and answers its exit code. Never a stack trace, unless it is asked for. */
export function tellError(error: unknown, { program, io }: { program: Command; io: Io }): ExitCode {
  if (error instanceof CommanderError) return tellUsage(error, { program, io })
  if (error instanceof BreakwaterError) {
    io.stderr(`breakwater: ${error.message}\n${error.hint === undefined ? '' : `  ${error.hint}\n`}`)
    return error.exitCode
  }
  io.stderr(ownErrorText(error, io.env))
  return EXIT.environment
}

/** An error that nobody has foreseen. */
export function ownErrorText(error: unknown, env: NodeJS.ProcessEnv): string {
  const message = error instanceof Error ? error.message : String(error)
  const stack = env.BREAKWATER_DEBUG && error instanceof Error ? `${error.stack}\n` : ''
  return `breakwater: something went wrong in breakwater itself: ${message}
  Please report it with the command line. BREAKWATER_DEBUG=1 shows where.
${stack}`
}

function tellUsage(error: CommanderError, { program, io }: { program: Command; io: Io }): ExitCode {
  // Help and version come as errors too; their text is already out.
  if (error.exitCode === 0) return EXIT.ok
  const [outer, inner] = commandsNamed(program, io.argv)
  const problem =
    error.code === 'commander.help' ? nameOne(program, outer) : error.message.replace(/^error: /, '')
  const line = ['breakwater', outer?.name(), inner?.name(), '--help'].filter(Boolean).join(' ')
  io.stderr(`breakwater: ${problem}\n  Try \`${line}\`.\n`)
  return EXIT.usage
}

/** A command line that ends where a command is still to be named. */
function nameOne(program: Command, outer: Command | undefined): string {
  const names = (outer ?? program).commands.map((each) => each.name()).filter((name) => name !== 'help')
  return `${outer === undefined ? '' : `${outer.name()}: `}name a command: ${names.join(', ')}`
}

/** The command of that name, or with that alias, below another; undefined if there is none. */
export function commandNamed(outer: Command, name: string | undefined): Command | undefined {
  return outer.commands.find((command) => [command.name(), ...command.aliases()].some((own) => own === name))
}

/** Those that a command line names, but for `help`: a command, and one of its own; what is undefined is none. */
function commandsNamed(
  program: Command,
  argv: readonly string[],
): [outer: Command | undefined, inner: Command | undefined] {
  const [first, second] = argv.filter((word) => !LOUDNESS_WORDS.includes(word))
  const outer = first === 'help' ? undefined : commandNamed(program, first)
  return [outer, outer && commandNamed(outer, second)]
}
