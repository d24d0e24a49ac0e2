/**
 * The value at a dotted path (`data.csrf_token`) of a JSON body; undefined where the path is null (the profile does not
 * tell) or leads nowhere.
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

/** The text at a path: a string as it is, an integer as digits; undefined for anything else. */
export function pickText(body: unknown, path: string | null): string | undefined {
  const value = pick(body, path)
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}

/** The rows at a path; undefined where there is no array. */
export function pickRows(body: unknown, path: string | null): Record<string, unknown>[] | undefined {
  const value = pick(body, path)
  if (!Array.isArray(value)) return undefined
  return value.filter((row) => typeof row === 'object' && row !== null)
}

/** A revision, which comes as a number or as digits; undefined for anything else. */
export function pickRevision(body: unknown, path: string | null): bigint | undefined {
  const text = pickText(body, path)
  return text !== undefined && /^[0-9]+$/.test(text) ? BigInt(text) : undefined
}
