/** The words of a command line as they stand in it, quotes and all: none needs to be quoted again. */
export function shellWords(command: string): string[] {
  return command.match(/(?:[^\s'\\]|\\.|'[^']*')+/gs) ?? []
}
