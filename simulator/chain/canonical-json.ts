/**
 * The one text of a plain value, to hash: keys in code-unit order, no white space, a bigint as a string of digits, keys
 * that are undefined left out. Takes null, booleans, strings, safe integers, bigints, arrays and plain objects.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return `"${value}"`
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isSafeInteger(value))
        throw new TypeError(`${value} is not exact: only integers have a text`)
      return String(value === 0 ? 0 : value)
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value)
    default:
      throw new TypeError(`a ${typeof value} has no canonical text`)
  }
}

// Every block is hashed by its text: loops, as they take half the time of map and join.
function canonicalArray(items: readonly unknown[]): string {
  let text = ''
  for (const item of items) text += text === '' ? canonicalJson(item) : `,${canonicalJson(item)}`
  return `[${text}]`
}

function canonicalObject(value: object): string {
  let text = ''
  for (const key of Object.keys(value).sort()) {
    const member = value[key as keyof typeof value] as unknown // as: its own key, and a value of any kind
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
