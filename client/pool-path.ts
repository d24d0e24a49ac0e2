/** Where a pool's record is. Its key is taken exactly as it was given, and may hold any character. */
export function poolPath(key: string): string {
  return `/pools/${encodeURIComponent(key)}`
}
