/**
 * Escapes control and bidirectional characters in foreign texts such as token names and responses, because they could
 * rewrite a terminal or change what a line shows. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escapeCharacter)
}

/**
 * On one line of at most `lengthMax` characters. Cuts first, because a target may send a line of any length. `file`: a file of the run
 * that has the whole text.
 */
export function visibleLine(text: string, lengthMax = 300, file?: string): string {
  const kept = text.slice(0, lengthMax + ROOM)
  const lines = visible(kept).split(/[\r\n]+/)
  const line = lines.map(trimInside).filter(isShown).join(' ⏎ ').replaceAll('\t', ' ')
  return shortened(line, lengthMax, { leftOut: text.length - kept.length, file })
}

/**
 * Changes a log line so that no CI runner takes it for a command. GitHub reads `::name::` after white space at the
 * start of a line and `##[name]` anywhere, Azure Pipelines `##vso[name]`, TeamCity `##teamcity[name]`.
 */
export function withoutLogCommands(line: string): string {
  return line
    .replace(/^\s*::/, (start) => `${start.slice(0, -2)}\\u003a:`)
    .replace(/##(?=\[|vso\[|teamcity\[)/g, '#\\u0023')
}

/** Extra characters, because joining lines can shorten the text. */
const ROOM = 200

/** Trims white space next to line ends, except at both ends of the text. */
function trimInside(line: string, index: number, lines: readonly string[]): string {
  const begun = index === 0 ? line : line.trimStart()
  return index === lines.length - 1 ? begun : begun.trimEnd()
}

/** Keeps empty lines only at both ends of the text. */
function isShown(line: string, index: number, lines: readonly string[]): boolean {
  return line !== '' || index === 0 || index === lines.length - 1
}

/** Cuts to `lengthMax` characters and reports how many were cut. `leftOut`: characters that were cut earlier. */
export function shortened(
  text: string,
  lengthMax: number,
  { leftOut = 0, file }: { leftOut?: number; file?: string | undefined } = {},
): string {
  const more = Math.max(0, text.length - lengthMax) + leftOut
  const where = file === undefined ? '' : ` in ${file}`
  return more === 0 ? text : `${text.slice(0, lengthMax)}… (${more} characters more${where})`
}

/** \p{Cc}: control characters. Then the bidirectional controls (Unicode annex 9), and rarely known line ends. */
const INVISIBLE =
  /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]|\p{Cs}/gu

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * A Markdown code span: markup, links and mentions have no effect inside. Its fence is longer than any run of
 * backticks in the text (CommonMark, section 6.1).
 */
export function code(text: string, lengthMax?: number, file?: string): string {
  const line = withoutLogCommands(visibleLine(text, lengthMax, file))
  if (line.trim() === '') return '(nothing)'
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  const padding = runs.length > 0 ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}

/**
 * Text on one line without markup. Markdown allows escaping any ASCII punctuation (CommonMark, section 2.4).
 * Zero-width spaces break mentions and addresses, which are detected in the rendered text. Summaries also appear in
 * logs, so no line starts with a command for a CI runner.
 */
export function escapeMarkdown(text: string, lengthMax?: number): string {
  return visibleLine(text, lengthMax)
    .replace(/[\\`*_[\]<>#|~&!$]/g, '\\$&')
    .replace(/^\s*::/, '\\::')
    .replaceAll('://', '\\://')
    .replace(/www\./gi, (www) => `${www.slice(0, -1)}\\.`)
    .replaceAll('@', '@\u200b')
}

export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => escapeMarkdown(cell)).join(' | ')} |`
  return [
    line(columns.map((column) => column.replace(/:$/, ''))),
    `|${columns.map((column) => (column.endsWith(':') ? '--:' : '---')).join('|')}|`,
    ...rows.map(line),
  ]
}
