import type { Command } from 'commander'

/** The command of that name below another; undefined where there is none. */
export function commandNamed(outer: Command, name: string | undefined): Command | undefined {
  return outer.commands.find((command) => command.name() === name)
}

/** Those that a command line names, but for `help`: a command, and one of its own; what is undefined is none. */
export function commandsNamed(
  program: Command,
  argv: readonly string[],
): [outer: Command | undefined, inner: Command | undefined] {
  const outer = argv[0] === 'help' ? undefined : commandNamed(program, argv[0])
  return [outer, outer && commandNamed(outer, argv[1])]
}
