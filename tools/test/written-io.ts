import { stripVTControlCharacters } from 'node:util'
import { type Io, NO_TERMINAL, type Terminal, type Verbosity } from '../../scripts/io.ts'
import { openIo } from '../../scripts/progress/open-io.ts'

/** An Io for tests that records both streams together; `interrupt` is Ctrl-C. */
export function writtenIo(
  terminal: Partial<Terminal> = {},
  verbosity: Verbosity = 'normal',
): { io: Io; written: () => string; interrupt: () => void } {
  let text = ''
  const aborting = new AbortController()
  const io = openIo(
    {
      argv: [],
      env: {},
      cwd: '.',
      stdout: (line) => {
        text += `${line}\n`
      },
      stderr: (more) => {
        text += more
      },
      terminal: { ...NO_TERMINAL, ...terminal },
      interrupted: aborting.signal,
    },
    () => verbosity,
  )
  return { io, written: () => text, interrupt: () => aborting.abort('SIGINT') }
}

const CLEAR = '\r\u001b[2K'

/** The final screen of a terminal after this output, line by line, without colors; and lines shown only until they were cleared. */
export function terminalScreen(written: string): { lines: string[]; cleared: string[] } {
  const rows = written.replaceAll('\r\n', '\n').split('\n')
  const parts = rows.map((row) => row.split(CLEAR).map(stripVTControlCharacters))
  return {
    lines: parts.map((row) => row.at(-1) ?? ''),
    cleared: parts.flatMap((row) => row.slice(0, -1)).filter((line) => line !== ''),
  }
}
