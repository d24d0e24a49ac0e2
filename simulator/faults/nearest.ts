/** The names that are spelt most like it, most like first: for messages that say what was meant. */
export function nearest(text: string, names: readonly string[], { count }: { count: number }): string[] {
  return names
    .map((name) => ({ name, distance: editDistance(text.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name)
}

/** How many letters must be put in, taken out or changed (Levenshtein), one row of the table at a time. */
function editDistance(a: string, b: string): number {
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
