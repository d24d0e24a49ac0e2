import type { Target } from '../../../contract/scenario-config.ts'
import type { Feed } from '../feed/feed.ts'
import { takeTicket, throwIfRestarted } from '../feed/served-feed.ts'
import type { Credential } from '../requests/request.ts'
import { withMiningPaused } from '../time/paused-mining.ts'
import { nowMs } from './control.ts'

/** Tickets last 60 s; the margin covers clock movement between checks. */
const RENEW_AFTER_MS = 25_000
/** Turns between reads of the target's clock. */
const CHECK_EVERY_TURNS = 2

/**
 * Returns a function, called each turn, that renews open sockets with fresh tickets before theirs expire.
 * Throws CannotJudge if a socket was closed for a restart, because expected events will not arrive.
 */
export async function keepServed(
  target: Target,
  options: {
    credential: Credential
    feeds: readonly Feed[]
    /** Joined again after each renewal, which must make no difference. */
    rejoins?: readonly string[]
  },
): Promise<() => Promise<void>> {
  const { credential, feeds, rejoins = [] } = options
  let renewedAtMs = await nowMs(target)
  let turn = 0
  const renew = async (feed: Feed) => {
    const { ticket } = await takeTicket(target, credential)
    feed.send({ action: 'authenticate', token: ticket })
    for (const room of rejoins) feed.send({ action: 'subscribe', room })
    await feed.settled(SETTLE_MS)
  }
  return async () => {
    for (const feed of feeds) throwIfRestarted(feed)
    if (turn++ % CHECK_EVERY_TURNS !== 0 || (await nowMs(target)) - renewedAtMs < RENEW_AFTER_MS) return
    renewedAtMs = await nowMs(target)
    const open = feeds.filter((feed) => feed.closed() === undefined)
    await withMiningPaused(() => Promise.all(open.map(renew)))
  }
}

const SETTLE_MS = 1000
