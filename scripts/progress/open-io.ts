import stringWidth from 'string-width'
import { visibleLine, withoutLogCommands } from '../../reports/visible.ts'
import type { Io, Outside, Verbosity } from '../io.ts'
import { documentText, messageText } from '../terminal-text.ts'

/** When a log gets its first status line, and the interval of the later ones. */
const LOG_FIRST_MS = 2000
const LOG_EVERY_MS = 10_000

const CLEAR = '\r\x1b[2K'

/**
 * Creates a command's Io from the process and the status line. Other output appears above that line. The only exit for
 * text: each is escaped here.
 */
export function openIo(outside: Outside, verbosity: () => Verbosity = () => 'normal'): Io {
  const { terminal } = outside
  let shown: readonly string[] | null = null
  const log = createLogClock()
  const draw = () => {
    // Leaves one column free: a full line would wrap in some terminals.
    if (shown !== null) outside.stderr(`${CLEAR}${fitLine(shown, terminal.columns() - 1)}`)
  }
  const above = (write: () => void) => {
    if (shown !== null) outside.stderr(CLEAR)
    write()
    draw()
  }
  const stderr = (message: string) => above(() => outside.stderr(`${messageText(withoutEnd(message))}\n`))
  const result = (text: string) => {
    const write = () => outside.stdout(text)
    if (terminal.stdout) above(write)
    else write()
  }
  const isQuiet = () => verbosity() === 'quiet'
  return {
    ...outside,
    verbosity,
    stderr,
    stdout: (line) => result(messageText(line)),
    document: (text) => result(documentText(withoutEnd(text))),
    log(line) {
      if (!isQuiet()) stderr(line)
    },
    status(parts) {
      if (isQuiet()) return
      if (!terminal.stderr) {
        if (parts === null) log.end()
        else if (log.isDue()) outside.stderr(`${fitLine(parts, Number.POSITIVE_INFINITY)}\n`)
        return
      }
      if (parts === null && shown !== null) outside.stderr(CLEAR)
      shown = parts
      draw()
    },
  }
}

function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

function createLogClock(): { isDue(): boolean; end(): void } {
  let begunMs: number | undefined
  let shownMs = Number.NEGATIVE_INFINITY
  return {
    isDue() {
      const nowMs = performance.now()
      begunMs ??= nowMs
      if (nowMs < begunMs + LOG_FIRST_MS || nowMs < shownMs + LOG_EVERY_MS) return false
      shownMs = nowMs
      return true
    },
    end() {
      begunMs = undefined
    },
  }
}

const BETWEEN = '; '
const CUT = '…'

/**
 * Fits as many leading parts as possible into the width; cuts the first if even that is too long. Wide characters count
 * as two columns; control characters are escaped.
 */
export function fitLine(parts: readonly string[], columnsMax: number): string {
  const [first = '', ...others] = parts
    .filter((part) => part !== '')
    .map((part) => withoutLogCommands(visibleLine(part)))
  let line = cut(first, columnsMax)
  if (line !== first) return line
  for (const part of others) {
    const longer = `${line}${BETWEEN}${part}`
    if (stringWidth(longer) > columnsMax) return line
    line = longer
  }
  return line
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Cuts at grapheme boundaries, so that no accent or half emoji remains. */
function cut(text: string, columnsMax: number): string {
  if (stringWidth(text) <= columnsMax) return text
  let kept = ''
  let columns = CUT.length
  for (const { segment } of graphemes.segment(text)) {
    columns += stringWidth(segment)
    if (columns > columnsMax) break
    kept += segment
  }
  return columnsMax < CUT.length ? '' : `${kept.trimEnd()}${CUT}`
}
