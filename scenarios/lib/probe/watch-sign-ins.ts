import { pickText } from '../pick.ts'
import type { Reply } from '../requests/reply.ts'
import type { RequestSpec } from '../requests/request.ts'

const REJECTIONS = [400, 401, 422]
/** A restart may lose a challenge once. */
const TIMES_MIN = 2

/**
 * Finds signatures that verify accepts after it has rejected the same ones, with no other challenge in between. If the challenge of
 * another client has replaced theirs, they stay rejected. Describes the second such sign-in and later ones.
 */
export function createSignInWatch() {
  /** Rejected signatures by address. */
  const rejected = new Map<string, string>()
  let times = 0
  return (
    { method, path, body }: Pick<RequestSpec, 'method' | 'path' | 'body'>,
    { status }: Pick<Reply, 'status'>,
  ): string | undefined => {
    const [address, signature] = [pickText(body, 'address'), pickText(body, 'signature')]
    if (method !== 'POST' || address === undefined) return undefined
    if (path === '/auth/challenge') rejected.delete(address)
    if (path !== '/auth/verify' || signature === undefined) return undefined
    if (REJECTIONS.includes(status)) rejected.set(address, signature)
    if (status < 200 || status > 299 || rejected.get(address) !== signature) return undefined
    rejected.delete(address)
    return ++times < TIMES_MIN ? undefined : 'a signature is accepted that was rejected before'
  }
}
