import type { Target } from '../../contract/scenario-config.ts'
import { unlistedId } from '../lib/market/routes.ts'
import { isError, isSuccess } from '../lib/requests/request.ts'
import { requestParsed } from '../lib/requests/request-parsed.ts'
import type { Judge } from '../lib/verdict/judge.ts'

const RULE = 'paging.key.round-trip'

/**
 * Reads a pool by keys that the list does not have: one like the others, and half of one. Fails if that is an error that persists
 * while a listed key is served. The watch of all records reports another pool. Passes nothing.
 */
export async function judgeUnknownKeys(
  target: Target,
  judge: Judge,
  listed: readonly string[],
): Promise<void> {
  const [key] = listed
  if (key === undefined) return
  for (const unknown of listUnknownKeys(listed)) {
    const reply = await readPool(target, unknown)
    if (!isError(reply) || !isSuccess(await readPool(target, key))) continue
    judge.fail(RULE, `${reply.status} for a key that is not listed`, [reply.evidence()])
    return
  }
}

export function listUnknownKeys(listed: readonly string[]): string[] {
  const [key = ''] = listed
  const half = key.slice(0, Math.ceil(key.length / 2))
  return [unlistedId(listed), half].filter(
    (one): one is string => one !== undefined && one !== '' && !listed.includes(one),
  )
}

function readPool(target: Target, key: string) {
  return requestParsed(target, { path: `/pools/${encodeURIComponent(key)}`, route: '/pools/{key}' })
}
