import { readField } from '../feed/events.ts'
import { pickText } from '../pick.ts'
import { walkPages } from '../requests/walk.ts'
import { type Follower, type Following, heard } from './follower.ts'
import { outcome } from './run-case.ts'

/** Prices that a client shows, by pool key. */
type Picture = ReadonlyMap<string, string>

const ROWS_MAX = 200

/**
 * Reads the pools as this client: without its credential, the observer would have to take it for the read of any program
 * at the same address.
 */
export async function loadPicture({
  target,
  credential,
}: Pick<Following, 'target' | 'credential'>): Promise<Picture> {
  const { rows } = await walkPages(target, {
    path: '/explore/pools',
    limit: 100,
    credential,
    rowsMax: ROWS_MAX,
  })
  return new Map(rows.map((row) => [pickText(row, 'key') ?? '', pickText(row, 'price') ?? 'unknown']))
}

/**
 * Compares the client's picture with `now`, which a witness read from REST, the source of truth, and reports how many
 * pools differ. A read of its own would be a refetch.
 */
export function reportGhosts(
  follower: Follower,
  { picture, keys, now }: { picture: Picture; keys: readonly string[]; now: Picture },
): void {
  const { target } = follower
  const { pool } = target.profile.choices.events
  const received = new Set(heard(follower).map((message) => readField(message, pool) ?? ''))
  const ghosts = ghostsIn(picture, { now, keys, received })
  const [first = ''] = ghosts
  const shown =
    ghosts.length === 0 ? '' : `: it shows ${picture.get(first)} for ${first}, REST ${now.get(first)}`
  outcome(target, `${ghosts.length} of ${keys.length} pools differ from REST${shown}`)
}

/** Returns the followed pools whose shown price differs from REST. Pools that an event updated are not ghosts. */
export function ghostsIn(
  picture: Picture,
  { now, keys, received }: { now: Picture; keys: readonly string[]; received: ReadonlySet<string> },
): string[] {
  return keys.filter((key) => !received.has(key) && picture.get(key) !== now.get(key))
}
