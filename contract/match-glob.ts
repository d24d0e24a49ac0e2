/** Checks if a glob matches the whole text; `*` matches any text. Avoids regular expressions, because it runs for each request. */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = '', ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return text === glob
  if (!text.startsWith(first)) return false
  let place = first.length
  for (const part of others) {
    const found = text.indexOf(part, place)
    if (found < 0) return false
    place = found + part.length
  }
  return text.length - last.length >= place && text.endsWith(last)
}
