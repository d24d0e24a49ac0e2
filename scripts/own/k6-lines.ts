const LINE_LENGTH_MAX = 1000

/**
 * The first different lines of a text that k6 printed, as part of a message. A script prints whatever it likes, so each line says
 * who wrote it.
 */
export function k6Lines(text: string, linesMax: number): string[] {
  const different = [...new Set(text.split(/[\r\n]+/).filter((line) => line.trim() !== ''))]
  return different.slice(0, linesMax).map((line) => `  k6: ${cut(line)}`)
}

function cut(line: string): string {
  return line.length > LINE_LENGTH_MAX ? `${line.slice(0, LINE_LENGTH_MAX)}…` : line
}
