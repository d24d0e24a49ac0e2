import type { Choices } from './choices.ts'

/** Open reads whose paths the specification does not name. */
export function publicPathsOf({ paths, aggregator }: Pick<Choices, 'paths' | 'aggregator'>): string[] {
  return [...Object.values(paths), `${aggregator.prefix}/pairs`]
}
