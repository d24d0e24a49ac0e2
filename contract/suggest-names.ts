/** A message lists all names only if there are at most this many. */
export const LISTED_MAX = 5
const SUGGESTED_MAX = 3

/** For an error about an unknown name: `expected a, b or c`, or for longer lists `did you mean x, y or z?` */
export function suggestNames(given: unknown, names: readonly string[]): string {
  if (names.length <= LISTED_MAX) return `expected ${either(names)}`
  if (typeof given === 'string') return `did you mean ${either(nearestNames(given, names))}?`
  return `expected a name, such as ${either(names.slice(0, SUGGESTED_MAX))}`
}

/** The three names most similar to `text`, best first. A `*` in `text` stands for any text. */
export function nearestNames(text: string, names: readonly string[]): string[] {
  const stem = text.replaceAll('*', '').toLowerCase()
  const distanceTo = (name: string) =>
    name.includes(stem) || stem.includes(name)
      ? 0
      : editDistance(stem, text.includes('*') ? name.slice(0, stem.length) : name)
  return names
    .map((name) => ({ name, distance: distanceTo(name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, SUGGESTED_MAX)
    .map(({ name }) => name)
}

/** `a`, `a or b`, `a, b or c`. */
export function either(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} or ${last}`
}

/** Levenshtein distance, one row of the table at a time. */
export function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, place) => place)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (let place = 0; place < b.length; place++) {
      const changed = (above[place] ?? 0) + (letter === b[place] ? 0 : 1)
      current.push(Math.min(changed, (above[place + 1] ?? 0) + 1, (current[place] ?? 0) + 1))
    }
    above = current
  }
  return above[b.length] ?? 0
}
