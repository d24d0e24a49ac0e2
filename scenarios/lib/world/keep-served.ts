import type { Target } from '../../../contract/scenario-config.ts'
import type { Feed } from '../feed/feed.ts'
import { takeTicket, throwIfRestarted } from '../feed/served-feed.ts'
import type { Credential } from '../requests/request.ts'
import { clockHeld } from '../time/held-clock.ts'
import { nowMs } from './control.ts'

/** Tickets last 60 s; what is left is for the clock that goes on meanwhile. */
const RENEW_AFTER_MS = 25_000
/** How often the target is asked for its time. */
const LOOK_EVERY_TURNS = 2

/**
 * Renews the sockets that are still open, each with a ticket of its own, as they come of age: to be called each turn. Throws
 * CannotJudge once one was closed for a restart: what is waited for does not come any more.
 */
export async function keepServed(
  target: Target,
  options: { credential: Credential; feeds: readonly Feed[] },
): Promise<() => Promise<void>> {
  const { credential, feeds } = options
  let renewedAtMs = await nowMs(target)
  let turn = 0
  const renew = async (feed: Feed) => {
    const { ticket } = await takeTicket(target, credential)
    feed.send({ action: 'authenticate', token: ticket })
    await feed.settled(SETTLE_MS)
  }
  return async () => {
    for (const feed of feeds) throwIfRestarted(feed)
    if (turn++ % LOOK_EVERY_TURNS !== 0 || (await nowMs(target)) - renewedAtMs < RENEW_AFTER_MS) return
    renewedAtMs = await nowMs(target)
    const open = feeds.filter((feed) => feed.closed() === undefined)
    await clockHeld(() => Promise.all(open.map(renew)))
  }
}

const SETTLE_MS = 1000
