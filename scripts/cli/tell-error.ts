import { type Command, CommanderError } from 'commander'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { commandsNamed } from './commands-named.ts'

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
