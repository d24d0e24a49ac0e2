import { type Io, type Loudness, NO_TERMINAL, type Terminal } from '../../scripts/io.ts'
import { openIo } from '../../scripts/progress/open-io.ts'

/** For tests: an Io that keeps all that is written, to both streams together; `interrupt` is Ctrl-C. */
export function writtenIo(
  terminal: Partial<Terminal> = {},
  loudness: Loudness = 'usual',
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
    () => loudness,
  )
  return { io, written: () => text, interrupt: () => aborting.abort('SIGINT') }
}
