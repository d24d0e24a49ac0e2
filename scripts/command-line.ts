/** A command line that can be pasted into a shell: what repeats a run. */
export function commandLine(argv: readonly string[]): string {
  return shellLine(['breakwater', ...argv])
}

/** Words as a shell takes them. */
export function shellLine(words: readonly string[]): string {
  return words.map(quote).join(' ')
}

function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
