/**
 * The command lines of a page's `sh` blocks, in order: continued lines joined, without comments, blanks made one. Blocks of
 * other languages (`text`, none) are samples and tables, not to be run.
 */
export function shCommands(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => withoutComment(line).replaceAll(/\s+/g, ' ').trim())
      .filter((line) => line !== ''),
  )
}

/** A comment begins with a `#` that begins a word, outside of quotes. */
function withoutComment(line: string): string {
  let quote = ''
  for (const [at, character] of line.split('').entries()) {
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (character === "'" || character === '"') quote = character
    else if (character === '#' && (at === 0 || /\s/.test(line[at - 1] ?? ''))) return line.slice(0, at)
  }
  return line
}
