import type { Target } from '../../contract/scenario-config.ts'
import { withApiToken } from '../lib/identity/api-token.ts'
import { getCredential, requireFullCredential, type Session } from '../lib/identity/session.ts'
import { isStillServed } from '../lib/identity/still-served.ts'
import { type Reply, request } from '../lib/requests/request.ts'
import { unlessCannot } from '../lib/verdict/judge.ts'
import { portfolioPaths, STATED_DATA_PATHS } from './data-paths.ts'
import { listRouteReads } from './reads-served.ts'

/** Finds a read that rejects a live session, and serves an API token of the same wallet all along. */
export async function findRefusedRead(
  target: Target,
  session: Session,
): Promise<{ reply: Reply; explanation: string } | undefined> {
  let found: { reply: Reply; explanation: string } | undefined
  await unlessCannot(() =>
    withApiToken(target, requireFullCredential(session), async ({ bearer }) => {
      const credential = getCredential(session)
      const paths = [...STATED_DATA_PATHS, ...portfolioPaths(target.profile)]
      const reads = [...paths.map((path) => ({ path })), ...(await listRouteReads(target))]
      for (const one of reads) {
        const read = { method: 'GET', ...one } as const
        const { status } = await request(target, { ...read, credential })
        if (status !== 401 && status !== 403) continue
        const { outcome, ...seen } = await isStillServed(target, credential, { witness: bearer, read })
        if (outcome === 'refused') found ??= seen
      }
    }),
  )
  return found
}
