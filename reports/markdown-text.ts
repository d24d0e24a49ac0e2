import { visibleLine, withoutLogCommands } from './visible.ts'

/**
 * A code span: no markup, no link and no mention works inside. Its fence is longer than any run of backticks in the text
 * (CommonMark, section 6.1).
 */
export function code(text: string, lengthMax?: number): string {
  const line = withoutLogCommands(visibleLine(text, lengthMax))
  if (line.trim() === '') return '(nothing)'
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  const padding = runs.length > 0 ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}

/**
 * Text on one line without markup. Any ASCII punctuation may be escaped (CommonMark, section 2.4). Mentions and addresses are found
 * in the finished text: a space of no width breaks them. Summaries are printed in logs too, so no line begins a command of a CI
 * runner.
 */
export function escapeMarkdown(text: string, lengthMax?: number): string {
  return visibleLine(text, lengthMax)
    .replace(/[\\`*_[\]<>#|~&!$]/g, '\\$&')
    .replace(/^\s*::/, '\\::')
    .replaceAll('://', '\\://')
    .replace(/www\./gi, (www) => `${www.slice(0, -1)}\\.`)
    .replaceAll('@', '@\u200b')
}

/** Columns whose name ends in a colon stand to the right. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => escapeMarkdown(cell)).join(' | ')} |`
  return [
    line(columns.map((column) => column.replace(/:$/, ''))),
    `|${columns.map((column) => (column.endsWith(':') ? '--:' : '---')).join('|')}|`,
    ...rows.map(line),
  ]
}
