import pico from 'picocolors'
import type { Outside } from './io.ts'
import { OWN_ESCAPE } from './terminal-text.ts'

const COLOURS = ['green', 'red', 'yellow', 'cyan', 'magenta', 'dim', 'bold'] as const

export type TerminalPaint = Record<(typeof COLOURS)[number], (text: string) => string>

/**
 * Colours for what goes to one of the two streams: for a person's terminal, none for a file or CI. Where it is set and not empty,
 * NO_COLOR takes them away from a terminal too; else FORCE_COLOR brings them anywhere, or with 0 nowhere. They become colours
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

function paintWith(colours: ReturnType<typeof pico.createColors>): TerminalPaint {
  const entries = COLOURS.map((name) => {
    const [open = '', close = ''] = colours[name]('|').replaceAll('\u001b', OWN_ESCAPE).split('|')
    return [name, (text: string) => `${open}${text}${close}`]
  })
  return Object.fromEntries(entries) as TerminalPaint // as: by the names of its keys
}
