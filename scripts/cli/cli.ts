/** The command line: cli.ts runs it, build-program.ts has the table of commands, and each command a file of its own. */
import { EXIT, type ExitCode } from '../../contract/breakwater-error.ts'
import type { Io } from '../io.ts'
import { buildProgram } from './build-program.ts'
import { tellError } from './tell-error.ts'

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
