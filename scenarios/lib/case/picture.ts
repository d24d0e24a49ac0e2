import type { Target } from '../../../contract/scenario-config.ts'
import { pickText } from '../pick.ts'
import { walkPages } from '../requests/walk.ts'
import { outcome } from './actor.ts'
import { type Follower, heard } from './follower.ts'
import { ghostsIn, type Picture } from './ghosts.ts'

const ROWS_MAX = 200

export async function loadPicture(target: Target): Promise<Picture> {
  const { rows } = await walkPages(target, { path: '/explore/pools', limit: 100, rowsMax: ROWS_MAX })
  return new Map(rows.map((row) => [pickText(row, 'key') ?? '', pickText(row, 'price') ?? 'unknown']))
}

/** Compares the client's picture with REST, the source of truth, and reports how many pools differ. */
export async function reportGhosts(
  target: Target,
  options: { picture: Picture; keys: readonly string[]; follower: Follower },
): Promise<void> {
  const { picture, keys, follower } = options
  const { pool } = target.profile.choices.events
  const received = new Set(heard(follower).map(({ json }) => pickText(json, pool) ?? ''))
  const now = await loadPicture(target)
  const ghosts = ghostsIn(picture, { now, keys, received })
  const [first = ''] = ghosts
  const shown =
    ghosts.length === 0 ? '' : `: it shows ${picture.get(first)} for ${first}, REST ${now.get(first)}`
  outcome(target, `${ghosts.length} of ${keys.length} pools differ from REST${shown}`)
}
