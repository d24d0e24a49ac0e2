import { CommanderError } from 'commander'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'

/** Prints an error to stderr and returns its exit code. Prints a stack trace only with BREAKWATER_DEBUG. */
export function printError(error: unknown, io: Io): ExitCode {
  // Help and version are errors too, and already printed.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
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
