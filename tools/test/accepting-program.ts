import type { Command } from 'commander'
import { buildProgram } from '../../scripts/cli/build-program.ts'
import { NO_TERMINAL } from '../../scripts/io.ts'
import { openIo } from '../../scripts/progress/open-io.ts'

/** The command line as it is, but that none of its commands does anything: what it takes it takes, what it refuses it throws. */
export function acceptingProgram(): Command {
  const io = openIo({
    argv: [],
    env: {},
    cwd: '.',
    stdout: () => {},
    stderr: () => {},
    terminal: NO_TERMINAL,
    interrupted: new AbortController().signal,
  })
  const program = buildProgram(io, () => {})
  for (const command of allCommands(program)) if (command !== program) command.action(() => {})
  return program
}

/** A command and all below it, outer ones first. */
export function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)]
}
