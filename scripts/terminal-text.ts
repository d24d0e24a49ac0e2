import { randomUUID } from 'node:crypto'
import pico from 'picocolors'
import { visible, withoutLogCommands } from '../reports/visible.ts'
import type { Outside } from './io.ts'

/**
 * Placeholder for the escape character in our colors until other text is escaped. Foreign text cannot contain it: it is
 * random per process and never printed.
 */
export const OWN_ESCAPE = `<${randomUUID()}>`

const INDENT = '  '

/**
 * Makes a message safe for terminals and CI logs. Messages quote targets, profiles, arguments and files, so control
 * characters and CI runner commands are escaped. Later lines are indented, so that none can pose as another message;
 * empty lines are dropped.
 */
export function messageText(text: string): string {
  const [first = '', ...others] = splitLines(text).map((line) => cleanLine(line.replaceAll('\t', ' ')))
  return [first, ...others.filter((line) => line.trim() !== '').map(indented)].join('\n')
}

/**
 * Like messageText for text whose line ends are ours, such as JSON, YAML or help: keeps all lines. In JSON strings and
 * double-quoted YAML, the escapes read back as the original characters.
 */
export function documentText(text: string): string {
  return splitLines(text)
    .map((line) => cleanLine(line.replaceAll('\t', '\\u0009')))
    .join('\n')
}

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/)
}

function cleanLine(line: string): string {
  return withoutLogCommands(visible(line)).replaceAll(OWN_ESCAPE, '\u001b')
}

function indented(line: string): string {
  return line.startsWith(INDENT) ? line : `${INDENT}${line}`
}

const COLORS = ['green', 'red', 'yellow', 'cyan', 'magenta', 'dim', 'bold'] as const

export type TerminalPaint = Record<(typeof COLORS)[number], (text: string) => string>

/**
 * Colors for one of the streams: on a terminal, but not in a file or CI. A non-empty NO_COLOR disables them; otherwise
 * FORCE_COLOR enables them everywhere, or disables them with 0. Io turns them into real colors.
 */
export function paintFor(
  { env, terminal }: Pick<Outside, 'env' | 'terminal'>,
  stream: 'stdout' | 'stderr' = 'stdout',
): TerminalPaint {
  if (env.NO_COLOR) return PLAIN
  if (env.FORCE_COLOR) return OFF.has(env.FORCE_COLOR) ? PLAIN : PAINTED
  return terminal[stream] ? PAINTED : PLAIN
}

const OFF: ReadonlySet<string> = new Set(['0', 'false'])

export const PLAIN = paintWith(pico.createColors(false))
const PAINTED = paintWith(pico.createColors(true))

function paintWith(colors: ReturnType<typeof pico.createColors>): TerminalPaint {
  const entries = COLORS.map((name) => {
    const [open = '', close = ''] = colors[name]('|').replaceAll('\u001b', OWN_ESCAPE).split('|')
    return [name, (text: string) => `${open}${text}${close}`]
  })
  return Object.fromEntries(entries) as TerminalPaint // as: by the names of its keys
}

export function commandLine(argv: readonly string[]): string {
  return shellLine(['breakwater', ...argv])
}

export function shellLine(words: readonly string[]): string {
  return words.map(quote).join(' ')
}

function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
