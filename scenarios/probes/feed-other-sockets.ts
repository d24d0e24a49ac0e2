import type { Target } from '../../contract/scenario-config.ts'
import { countFromNow, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import type { Feed } from '../lib/feed/feed.ts'
import { openServedFeed } from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import { advanceChain } from '../lib/world/control.ts'
import { keepServed } from '../lib/world/keep-served.ts'

const BOUNDS = { blocksMax: 40, waitMsMax: 15_000 }

/**
 * Returns true if a socket gets no event of its rooms, while one that joins them now gets several: what another socket did
 * has silenced it. False proves nothing.
 */
export async function isSilenced(
  target: Target,
  options: {
    credential: Credential
    stayed: Feed
    rooms: readonly string[]
    /** Renews its ticket. */
    eachTurn: () => Promise<void>
  },
): Promise<boolean> {
  const { credential, stayed, rooms, eachTurn } = options
  const createCounter = (feed: Feed) => {
    const count = countFromNow(target, feed, rooms)
    return () => rooms.reduce((sum, room) => sum + count(room), 0)
  }
  const came = createCounter(stayed)
  if (await advanceChain(target, { done: () => came() > 0, eachTurn, ...BOUNDS })) return false
  const newer = await openServedFeed(target, credential, rooms)
  const due = createCounter(newer)
  const keepNewer = await keepServed(target, { credential, feeds: [newer] })
  const keepBoth = async () => void (await Promise.all([eachTurn(), keepNewer()]))
  const done = () => came() > 0 || due() >= EVENTS_MISSED_MIN
  await advanceChain(target, { done, eachTurn: keepBoth, ...BOUNDS })
  await settle([stayed])
  newer.close()
  return came() === 0 && due() >= EVENTS_MISSED_MIN && whySilent(stayed) === undefined
}
