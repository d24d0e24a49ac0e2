import type { Target } from '../../contract/scenario-config.ts'
import { pickText } from './pick.ts'
import { walkPages } from './walk.ts'

/** What a client shows of pools: by key, the price. */
export type Picture = ReadonlyMap<string, string>

const ROWS_MAX = 200

/** Loads the picture over REST. */
export async function loadPicture(target: Target): Promise<Picture> {
  const { rows } = await walkPages(target, { path: '/explore/pools', limit: 100, rowsMax: ROWS_MAX })
  return new Map(rows.map((row) => [pickText(row, 'key') ?? '', pickText(row, 'price') ?? 'unknown']))
}

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
