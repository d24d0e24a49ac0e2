/**
 * The words of the first simple command of a line, as a POSIX shell would see them: quotes taken off, variables set before
 * it left out, nothing expanded, a process substitution as it is; it ends at a pipe, a redirection, `&` or `;`.
 */
export function shellWords(line: string): string[] {
  const words: string[] = []
  for (const [, single, double, bare, end] of line.matchAll(PIECES)) {
    if (end !== undefined) break
    words.push(single ?? double ?? bare ?? '')
  }
  const first = words.findIndex((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word))
  return first === -1 ? [] : words.slice(first)
}

const PIECES = /'([^']*)'|"([^"]*)"|([<>]\([^)]*\)|[^\s'"|<>;&]+)|([|<>;&])/g

/** Of a `breakwater` command line its arguments, also where it is called by npx; undefined for another command. */
export function breakwaterArguments(line: string): string[] | undefined {
  const words = shellWords(line)
  const program = words[0] === 'npx' ? words.slice(1) : words
  return program[0] === 'breakwater' ? program.slice(1) : undefined
}
