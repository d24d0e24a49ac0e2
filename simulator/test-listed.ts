/** Copies plain data with maps and sets as lists, so that toEqual compares the order of their entries too. */
export function listed(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, held]) => [key, listed(held)])
  if (value instanceof Set) return [...value]
  if (Array.isArray(value)) return value.map(listed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, listed(held)]))
}
