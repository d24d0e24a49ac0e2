import { stripVTControlCharacters } from 'node:util'

const CLEAR = '\r\u001b[2K'

/**
 * What a terminal shows in the end of all that a command wrote to it, a line each, without colours; and the lines that were shown
 * only until they were cleared.
 */
export function terminalScreen(written: string): { lines: string[]; cleared: string[] } {
  const rows = written.replaceAll('\r\n', '\n').split('\n')
  const parts = rows.map((row) => row.split(CLEAR).map(stripVTControlCharacters))
  return {
    lines: parts.map((row) => row.at(-1) ?? ''),
    cleared: parts.flatMap((row) => row.slice(0, -1)).filter((line) => line !== ''),
  }
}
