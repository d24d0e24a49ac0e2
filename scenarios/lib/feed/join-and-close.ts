import type { Target } from '../../../contract/scenario-config.ts'
import type { Credential } from '../requests/request.ts'
import { unlessCannot } from '../verdict/judge.ts'
import { openServedFeed } from './served-feed.ts'

const CLOSE_MS = 1000

/** Joins rooms on a socket of its own and closes it without leaving them, which must not affect other sockets. */
export async function joinAndClose(
  target: Target,
  credential: Credential,
  rooms: readonly string[],
): Promise<void> {
  await unlessCannot(async () => {
    const feed = await openServedFeed(target, credential, rooms)
    feed.close()
    await feed.until(() => false, CLOSE_MS)
  })
}
