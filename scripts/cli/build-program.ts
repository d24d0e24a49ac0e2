import { Command } from 'commander'
import type { Io, Loudness } from '../io.ts'
import { VERSION } from '../version.ts'
import { capacityCommand, loadCommand } from './capacity-command.ts'
import { chainCommand } from './chain-command.ts'
import type { CommandPart, Done } from './command-part.ts'
import { commandNamed } from './commands-named.ts'
import { compareCommand } from './compare-command.ts'
import { completionCommand } from './completion-command.ts'
import { doctorCommand } from './doctor-command.ts'
import { faultsCommand } from './faults-command.ts'
import { initCommand } from './init-command.ts'
import { k8sCommand } from './k8s-command.ts'
import { loudnessOptions } from './loudness-options.ts'
import { mergeCommand } from './merge-command.ts'
import { observeCommand } from './observe-command.ts'
import { notEmpty } from './option-values.ts'
import { reportCommand } from './report-command.ts'
import { reproCommand } from './repro-command.ts'
import { runCommand } from './run-command.ts'
import { runsCommand } from './runs-command.ts'
import { smokeCommand } from './smoke-command.ts'
import { stubCommand } from './stub-command.ts'

/** In the order in which help lists them. What a command does is loaded when it is called: all together take a second to load. */
const COMMANDS: readonly (readonly [name: string, part: CommandPart])[] = [
  ['smoke', smokeCommand],
  ['run', runCommand],
  ['repro', reproCommand],
  ['capacity', capacityCommand],
  ['load', loadCommand],
  ['faults', faultsCommand],
  ['init', initCommand],
  ['stub', stubCommand],
  ['observe', observeCommand],
  ['chain', chainCommand],
  ['report', reportCommand],
  ['compare', compareCommand],
  ['runs', runsCommand],
  ['merge', mergeCommand],
  ['k8s', k8sCommand],
  ['doctor', doctorCommand],
  ['completion', completionCommand],
]

/** The whole command line as commander knows it; nothing is run yet. */
export function buildProgram(
  io: Io,
  done: Done,
  onLoudness: (loudness: Loudness) => void = () => {},
): Command {
  const program = new Command('breakwater')
    .description('Load-testing and simulation harness for an on-chain concentrated-liquidity exchange')
    .version(VERSION, '-V, --version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.document(text.trimEnd()), writeErr: () => {} })
    .showSuggestionAfterError()
  loudnessOptions(program, onLoudness)
  for (const [name, part] of COMMANDS) part(program.command(name), io, done)
  addHelp(program)
  for (const command of [...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().copyInheritedSettings(program)
    const texts = [...command.options.filter(({ required }) => required), ...command.registeredArguments]
    for (const text of texts) if (text.parseArg === undefined) text.argParser(notEmpty)
  }
  return program
}

function addHelp(program: Command): void {
  program
    .command('help')
    .description('display help for a command')
    .argument('[command]')
    .action(async (name) => {
      if (name === undefined) program.help()
      commandNamed(program, name)?.help()
      // Refused in the same words as anywhere else.
      await program.parseAsync([name], { from: 'user' })
    })
}
