import type { Target } from '../../../contract/scenario-config.ts'
import { confirmMissing } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { walkPages } from '../requests/walk.ts'

type Listed = {
  key: string
  /** Whether what showed the key still does. */
  isListed: () => Promise<boolean>
}

/**
 * Reads a pool by a key that another read has shown. The two may come from replicas of which one is behind, so a 4xx is returned only
 * if it stays while the key is still shown; undefined if it does not stay, or the key is no longer shown.
 */
export async function readListedPool(target: Target, { key, isListed }: Listed): Promise<Reply | undefined> {
  let reply: Reply | undefined
  const { looked } = await confirmMissing({
    isListed,
    look: async () => {
      reply = await readPool(target, key)
      return reply.status >= 400 && reply.status < 500 ? 'missing' : 'found'
    },
  })
  return looked === 'unclear' ? undefined : reply
}

function readPool(target: Target, key: string): Promise<Reply> {
  const path = `/pools/${encodeURIComponent(key)}`
  return requestParsed(target, { path, route: '/pools/{key}' })
}

/** Rows in which a pool is looked for. */
const ROWS_MAX = 500

/** Whether a list of pools shows the key. */
export async function listsPool(
  target: Target,
  path: '/pools' | '/explore/pools',
  key: string,
): Promise<boolean> {
  const hasKey = (row: Record<string, unknown>) => row.key === key
  const { rows } = await walkPages(target, { path, limit: 50, rowsMax: ROWS_MAX, until: hasKey })
  return rows.some(hasKey)
}
