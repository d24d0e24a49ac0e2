/** The path of a URL as it came, without its query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** The path’s segments, decoded; one that cannot be decoded as it came. */
export function segmentsOf(path: string): string[] {
  return path.split('/').map(decoded)
}

/** Names and values of the query, decoded, with `+` for a space as forms write it. */
export function queryOf(url: string): [name: string, value: string][] {
  const at = url.indexOf('?')
  return at === -1 ? [] : [...new URLSearchParams(url.slice(at + 1))]
}

/** −1 where none is asked for. */
export function minimumRevisionOf(url: string): number {
  const value = queryOf(url).find(([name]) => name === 'minimum_revision')?.[1]
  return value !== undefined && /^[0-9]+$/.test(value) ? Number(value) : -1
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
