/** What a client shows of pools: by key, the price. */
export type Picture = ReadonlyMap<string, string>

/**
 * The pools that the picture shows otherwise than REST does now, of those that it follows: ghosts. What an event told of is
 * as the event said.
 */
export function ghostsIn(
  picture: Picture,
  { now, keys, told }: { now: Picture; keys: readonly string[]; told: ReadonlySet<string> },
): string[] {
  return keys.filter((key) => !told.has(key) && picture.get(key) !== now.get(key))
}
