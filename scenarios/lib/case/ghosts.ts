/** Prices that a client shows, by pool key. */
export type Picture = ReadonlyMap<string, string>

/**
 * Returns the followed pools whose shown price differs from REST. Pools that an event updated are not ghosts.
 */
export function ghostsIn(
  picture: Picture,
  { now, keys, received }: { now: Picture; keys: readonly string[]; received: ReadonlySet<string> },
): string[] {
  return keys.filter((key) => !received.has(key) && picture.get(key) !== now.get(key))
}
