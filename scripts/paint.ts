import pico from 'picocolors'
import type { Io } from './io.ts'

/** Colours for a person's terminal, none for a file or CI; NO_COLOR and FORCE_COLOR are heeded. */
export function paintFor({ env, isTerminal }: Io): ReturnType<typeof pico.createColors> {
  return pico.createColors(!env.NO_COLOR && (isTerminal || Boolean(env.FORCE_COLOR)))
}
