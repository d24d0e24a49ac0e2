/**
 * Returns the value at a dotted path (`data.csrf_token`) of a JSON body. Undefined if the path is null (not
 * in the profile) or does not exist.
 */
export function pick(body: unknown, path: string | null): unknown {
  if (path === null) return undefined
  let value = body
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** Returns a string as is and an integer as digits; undefined for anything else. */
export function pickText(body: unknown, path: string | null): string | undefined {
  const value = pick(body, path)
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}

/** Returns undefined if the value is not an array. */
export function pickRows(body: unknown, path: string | null): Record<string, unknown>[] | undefined {
  const value = pick(body, path)
  if (!Array.isArray(value)) return undefined
  return value.filter((row) => typeof row === 'object' && row !== null)
}

/** Parses a revision from a number or digits; undefined for anything else. */
export function pickRevision(body: unknown, path: string | null): bigint | undefined {
  const text = pickText(body, path)
  return text !== undefined && /^[0-9]+$/.test(text) ? BigInt(text) : undefined
}
