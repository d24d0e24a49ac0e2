const SHOWN_MAX = 3

/** Those that somebody who wrote `name` may have meant, the nearest first. */
export function nearestNames(name: string, names: readonly string[]): string[] {
  return names
    .map((one) => ({ one, distance: one.includes(name) || name.includes(one) ? 0 : editsBetween(name, one) }))
    .sort((a, b) => a.distance - b.distance || (a.one < b.one ? -1 : 1))
    .slice(0, SHOWN_MAX)
    .map(({ one }) => one)
}

/** How many letters have to be put in, taken out or changed (Levenshtein). */
export function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
