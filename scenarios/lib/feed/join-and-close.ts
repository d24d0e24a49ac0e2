import type { Target } from '../../../contract/scenario-config.ts'
import type { Credential } from '../requests/request.ts'
import { unlessCannot } from '../verdict/judge.ts'
import { openServedFeed } from './served-feed.ts'

const CLOSE_MS = 1000
/** A gateway may have several nodes, and the other sockets may be on any. */
const SOCKETS = 3

/** Joins rooms on sockets of its own and closes them without leaving the rooms, which must not affect other sockets. */
export async function joinAndClose(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<void> {
  const joinOnce = () =>
    unlessCannot(async () => {
      const feed = await openServedFeed(target, credential, rooms)
      feed.close()
      await feed.until(() => false, CLOSE_MS)
    })
  await Promise.all(Array.from({ length: SOCKETS }, joinOnce))
}
