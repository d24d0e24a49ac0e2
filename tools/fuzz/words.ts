/** Words of a command line. */
import type { Draw } from './draw.ts'
import { hostileText } from './hostile-values.ts'

/** Names of commands, but for those that begin a run, or serve, of their own accord; and some options. */
export const COMMAND_WORDS: readonly string[] = [
  ...['run', 'repro', 'load', 'faults', 'init', 'observe', 'report', 'compare', 'runs', 'merge'],
  ...['k8s', 'completion', 'help', 'list', 'show', 'apply', 'render', 'bash'],
  ...['--help', '--json', '--out', '--list-rules', '--seed', '--target', '--world'],
]

/** Now and then what makes a command print JSON. */
export function maybeJson(draw: Draw): readonly string[] {
  return draw.chance(0.3) ? ['--json'] : []
}

/** Any word: NUL cannot be in one. */
export function word(draw: Draw): string {
  return hostileText(draw).replaceAll('\0', '').slice(0, 10_000)
}
