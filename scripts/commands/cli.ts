/** The command line: cli.ts runs it, build-program.ts has the table of commands, and each command a file of its own. */
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import { type Loudness, type Outside, tellInterruptedEnd } from '../io.ts'
import { tellDetails } from '../progress/detail.ts'
import { openIo } from '../progress/open-io.ts'
import { buildProgram } from './build-program.ts'
import type { Done } from './options.ts'
import { tellError } from './tell-error.ts'

/** Runs one command line and returns its exit code. Errors are told on stderr: what, and what to do; never a stack trace. */
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
  const program = buildProgram(io, onDone, (asked) => {
    loudness = asked
    if (asked === 'verbose') details = tellDetails(io)
  })
  try {
    await program.parseAsync([...io.argv], { from: 'user' })
  } catch (error) {
    io.status(null)
    exitCode = tellError(error, { program, io })
  } finally {
    details?.release()
  }
  if (!io.interrupted.aborted || isServer) return exitCode // a server knows no other end
  // One code, and one message, whatever the command was doing at the time.
  if (exitCode !== EXIT.interrupted) tellInterruptedEnd(io)
  return EXIT.interrupted
}
