import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Loudness, type Outside, tellInterruptedEnd } from '../io.ts'
import { tellDetails } from '../progress/detail.ts'
import { openIo } from '../progress/open-io.ts'
import { buildProgram } from './build-program.ts'
import type { Done } from './options.ts'
import { tellError } from './tell-error.ts'

/** Runs a command line and returns its exit code. Prints errors to stderr, with a hint and without a stack trace. */
export async function runCli(outside: Outside): Promise<ExitCode> {
  let loudness: Loudness = 'usual'
  const io = openIo(outside, () => loudness)
  let exitCode: ExitCode = EXIT.ok
  let isServer = false
  const onDone: Done = (code, kind) => {
    exitCode = code
    isServer = kind === 'server'
  }
  let details: ReturnType<typeof tellDetails> | undefined
  const program = buildProgram(io, onDone, (chosen) => {
    loudness = chosen
    if (chosen === 'verbose') details = tellDetails(io)
  })
  try {
    await program.parseAsync([...io.argv], { from: 'user' })
  } catch (error) {
    io.status(null)
    exitCode = tellError(error, io)
  } finally {
    details?.release()
  }
  if (!io.interrupted.aborted || isServer) return exitCode // a signal is the usual end of a server
  // The same code and message whatever the command did at that time.
  if (exitCode !== EXIT.interrupted) tellInterruptedEnd(io)
  return EXIT.interrupted
}
