import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Outside, printInterruptedEnd, type Verbosity } from '../io.ts'
import { printDetails } from '../progress/detail.ts'
import { openIo } from '../progress/open-io.ts'
import { buildProgram } from './build-program.ts'
import type { Done } from './options.ts'
import { printError } from './print-error.ts'

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
