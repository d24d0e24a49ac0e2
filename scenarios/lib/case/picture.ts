import type { Target } from '../../../contract/scenario-config.ts'
import { pickText } from '../pick.ts'
import { walkPages } from '../requests/walk.ts'
import type { Picture } from './ghosts.ts'

const ROWS_MAX = 200

/** Loads the picture over REST. */
export async function loadPicture(target: Target): Promise<Picture> {
  const { rows } = await walkPages(target, { path: '/explore/pools', limit: 100, rowsMax: ROWS_MAX })
  return new Map(rows.map((row) => [pickText(row, 'key') ?? '', pickText(row, 'price') ?? 'unknown']))
}
