import type { Target } from '../../../contract/scenario-config.ts'
import { confirmMissing } from '../requests/confirm.ts'
import type { Reply } from '../requests/request.ts'
import { requestParsed } from '../requests/request-parsed.ts'
import { walkPages } from '../requests/walk.ts'

type Listed = {
  key: string
  /** Returns whether the list still shows the key. */
  isListed: () => Promise<boolean>
}

/**
 * Reads a pool by a key that another read showed. The reads may hit different replicas, so a 4xx is returned
 * only if it persists while the key is still listed. Undefined if it does not persist, or the key is no
 * longer listed.
 */
export async function readListedPool(target: Target, { key, isListed }: Listed): Promise<Reply | undefined> {
  let reply: Reply | undefined
  const { state } = await confirmMissing({
    isListed,
    check: async () => {
      reply = await readPool(target, key)
      return reply.status >= 400 && reply.status < 500 ? 'missing' : 'found'
    },
  })
  return state === 'unclear' ? undefined : reply
}

function readPool(target: Target, key: string): Promise<Reply> {
  const path = `/pools/${encodeURIComponent(key)}`
  return requestParsed(target, { path, route: '/pools/{key}' })
}

const ROWS_MAX = 500

export async function listsPool(
  target: Target,
  path: '/pools' | '/explore/pools',
  key: string,
): Promise<boolean> {
  const hasKey = (row: Record<string, unknown>) => row.key === key
  const { rows } = await walkPages(target, { path, limit: 50, rowsMax: ROWS_MAX, until: hasKey })
  return rows.some(hasKey)
}
