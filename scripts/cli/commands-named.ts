import type { Command } from 'commander'
import { LOUDNESS_WORDS } from './loudness-options.ts'

/** The command of that name, or with that alias, below another; undefined if there is none. */
export function commandNamed(outer: Command, name: string | undefined): Command | undefined {
  return outer.commands.find((command) => [command.name(), ...command.aliases()].some((own) => own === name))
}

/** Those that a command line names, but for `help`: a command, and one of its own; what is undefined is none. */
export function commandsNamed(
  program: Command,
  argv: readonly string[],
): [outer: Command | undefined, inner: Command | undefined] {
  const [first, second] = argv.filter((word) => !LOUDNESS_WORDS.includes(word))
  const outer = first === 'help' ? undefined : commandNamed(program, first)
  return [outer, outer && commandNamed(outer, second)]
}
