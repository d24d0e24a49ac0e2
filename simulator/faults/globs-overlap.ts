import { matchesGlob } from '../../contract/match-glob.ts'

/** Whether there is a text that both globs match. */
export function globsOverlap(one: string, other: string): boolean {
  if (!one.includes('*')) return matchesGlob(other, one)
  if (!other.includes('*')) return matchesGlob(one, other)
  // What lies between the first and the last star of one finds its place in a star of the other.
  const [starts, ends] = [
    [startOf(one), startOf(other)],
    [endOf(one), endOf(other)],
  ]
  return (
    oneContains(starts, (long, short) => long.startsWith(short)) &&
    oneContains(ends, (long, short) => long.endsWith(short))
  )
}

function startOf(glob: string): string {
  return glob.slice(0, glob.indexOf('*'))
}

function endOf(glob: string): string {
  return glob.slice(glob.lastIndexOf('*') + 1)
}

function oneContains(
  [one = '', other = '']: readonly string[],
  contains: (long: string, short: string) => boolean,
): boolean {
  return contains(one, other) || contains(other, one)
}
