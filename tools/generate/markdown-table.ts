/** The lines of a table; cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)]
}

/** Plain text as a cell: nothing of it is taken for a mark, but for what stands in code marks. */
export function textCell(text: string): string {
  return text.replace(/`[^`]*`|[|<*_]/g, (found) =>
    found.length > 1 ? found.replaceAll('|', '\\|') : `\\${found}`,
  )
}

/** In code marks. */
export function codeCell(text: string): string {
  const marks = text.includes('`') ? '``' : '`'
  return `${marks}${text.replaceAll('|', '\\|')}${marks}`
}
