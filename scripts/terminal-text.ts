import { randomUUID } from 'node:crypto'
import pico from 'picocolors'
import { visible, withoutLogCommands } from '../reports/visible.ts'
import type { Outside } from './io.ts'

/**
 * Stands for the escape character in colors of our own until everything else is cleaned. Foreign text cannot hold it: each
 * process draws another one, and prints none.
 */
export const OWN_ESCAPE = `<${randomUUID()}>`

const INDENT = '  '

/**
 * A message as a terminal, or the log of a CI job, may show it. Messages quote targets, profiles, arguments and other files: each
 * control character is shown as an escape, and so is what a CI runner would take for a command. Lines after the first are
 * indented, so that none can pretend to be another message; empty ones are left out.
 */
export function messageText(text: string): string {
  const [first = '', ...others] = linesOf(text).map((line) => cleanLine(line.replaceAll('\t', ' ')))
  return [first, ...others.filter((line) => line.trim() !== '').map(indented)].join('\n')
}

/**
 * The same for a text whose line ends are all our own, such as JSON, YAML or help: each line stays at its place. Inside strings
 * of JSON, and of YAML in double quotes, the escapes are read back as the characters that they stand for.
 */
export function documentText(text: string): string {
  return linesOf(text)
    .map((line) => cleanLine(line.replaceAll('\t', '\\u0009')))
    .join('\n')
}

function linesOf(text: string): string[] {
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
 * Colors for what goes to one of the two streams: for a person's terminal, none for a file or CI. Where it is set and not empty,
 * NO_COLOR takes them away from a terminal too; else FORCE_COLOR brings them anywhere, or with 0 nowhere. They become colors
 * when Io writes them.
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

const PLAIN = paintWith(pico.createColors(false))
const PAINTED = paintWith(pico.createColors(true))

function paintWith(colors: ReturnType<typeof pico.createColors>): TerminalPaint {
  const entries = COLORS.map((name) => {
    const [open = '', close = ''] = colors[name]('|').replaceAll('\u001b', OWN_ESCAPE).split('|')
    return [name, (text: string) => `${open}${text}${close}`]
  })
  return Object.fromEntries(entries) as TerminalPaint // as: by the names of its keys
}

/** A command line that can be pasted into a shell: what repeats a run. */
export function commandLine(argv: readonly string[]): string {
  return shellLine(['breakwater', ...argv])
}

/** Words as a shell takes them. */
export function shellLine(words: readonly string[]): string {
  return words.map(quote).join(' ')
}

function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
