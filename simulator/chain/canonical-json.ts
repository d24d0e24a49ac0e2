/**
 * The one text of a plain value, to hash: keys in code-unit order, no white space, a bigint as a string of digits, keys
 * that are undefined left out. Takes null, booleans, strings, safe integers, bigints, arrays and plain objects.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) return canonicalObject(value)
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new TypeError(`${value} is not exact: only integers have a canonical text`)
  }
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`a ${typeof value} has no canonical text`)
  return text
}

function canonicalObject(value: object): string {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
}
