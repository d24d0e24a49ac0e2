import { CommanderError } from 'commander'
import { BreakwaterError, EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Io, type Outside, printInterruptedEnd, type Verbosity } from '../io.ts'
import { printDetails } from '../progress/detail.ts'
import { openIo } from '../progress/open-io.ts'
import { buildProgram } from './build-program.ts'
import type { Done } from './options.ts'

/** Runs a command line and returns its exit code. Prints errors to stderr, with a hint and without a stack trace. */
export async function runCli(outside: Outside): Promise<ExitCode> {
  let verbosity: Verbosity = 'normal'
  const io = openIo(outside, () => verbosity)
  let exitCode: ExitCode = EXIT.ok
  let isServer = false
  const onDone: Done = (code, kind) => {
    exitCode = code
    isServer = kind === 'server'
  }
  let details: ReturnType<typeof printDetails> | undefined
  const program = buildProgram(io, onDone, (chosen) => {
    verbosity = chosen
    if (chosen === 'verbose') details = printDetails(io)
  })
  try {
    await program.parseAsync([...io.argv], { from: 'user' })
  } catch (error) {
    io.status(null)
    exitCode = printError(error, io)
  } finally {
    details?.release()
  }
  if (!io.interrupted.aborted || isServer) return exitCode // a signal is the usual end of a server
  // The same code and message whatever the command did at that time.
  if (exitCode !== EXIT.interrupted) printInterruptedEnd(io)
  return EXIT.interrupted
}

/** Prints an error to stderr and returns its exit code. Prints a stack trace only with BREAKWATER_DEBUG. */
function printError(error: unknown, io: Io): ExitCode {
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
