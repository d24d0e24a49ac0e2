import pico from 'picocolors'
import type { Outside } from './io.ts'

/**
 * Colours for what goes to one of the two streams: for a person's terminal, none for a file or CI. Where it is set and not empty,
 * NO_COLOR takes them away from a terminal too; else FORCE_COLOR brings them anywhere, or with 0 nowhere.
 */
export function paintFor(
  { env, terminal }: Pick<Outside, 'env' | 'terminal'>,
  stream: 'stdout' | 'stderr' = 'stdout',
): ReturnType<typeof pico.createColors> {
  if (env.NO_COLOR) return pico.createColors(false)
  if (env.FORCE_COLOR) return pico.createColors(!OFF.has(env.FORCE_COLOR))
  return pico.createColors(terminal[stream])
}

const OFF: ReadonlySet<string> = new Set(['0', 'false'])
