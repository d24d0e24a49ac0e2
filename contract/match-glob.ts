/** Whether a glob matches the whole text: `*` stands for any text. No regular expression is made: it is asked for each request. */
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
