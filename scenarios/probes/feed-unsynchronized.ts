import type { Target } from '../../contract/scenario-config.ts'
import { countFromNow, EVENTS_MISSED_MIN, settle, whySilent } from '../lib/feed/events.ts'
import { type Feed, openFeed } from '../lib/feed/feed.ts'
import { authenticatePatiently, isServed, takeTicket } from '../lib/feed/served-feed.ts'
import type { Credential } from '../lib/requests/request.ts'
import { pause } from '../lib/time/pause.ts'
import { withMiningPaused } from '../lib/time/paused-mining.ts'

/** Longer than any exchange takes to join rooms. */
const JOIN_MS = 2000
const SETTLED_MS = 3000

type Unsynchronized = {
  /** True once enough was seen of this kind, either way, or the socket is closed. */
  isSettled(kind: number): boolean
  /** Kinds of which the witness got several events and this socket none. */
  findSilent(): Promise<readonly number[]>
  feed: Feed
}

/** Joins rooms without `synchronize`, which is a request for a control only. `kinds`: rooms of which the witness gets events too. */
export async function joinUnsynchronized(
  target: Target,
  { credential, kinds, witness }: { credential: Credential; kinds: readonly string[][]; witness: Feed },
): Promise<Unsynchronized> {
  const feed = await withMiningPaused(async () => {
    const { ticket } = await takeTicket(target, credential)
    const feed = await openFeed(target)
    await authenticatePatiently(feed, ticket)
    for (const room of kinds.flat()) feed.send({ action: 'subscribe', room })
    await feed.settled(SETTLED_MS)
    return feed
  })
  await pause(JOIN_MS)
  const createCounters = (one: Feed) =>
    kinds.map((rooms) => {
      const count = countFromNow(target, one, rooms)
      return () => rooms.reduce((sum, room) => sum + count(room), 0)
    })
  const came = createCounters(feed)
  await settle([witness])
  const due = createCounters(witness)
  const isMissed = (kind: number) => came[kind]?.() === 0 && (due[kind]?.() ?? 0) >= EVENTS_MISSED_MIN
  return {
    feed,
    isSettled: (kind) => (came[kind]?.() ?? 0) > 0 || isMissed(kind) || feed.closed() !== undefined,
    async findSilent() {
      const silent = kinds.flatMap((_, kind) => (isMissed(kind) ? [kind] : []))
      if (silent.length === 0 || whySilent(feed) !== undefined) return []
      // Its ticket may have been rejected, which another rule covers.
      return (await withMiningPaused(() => isServed(feed))) ? silent : []
    },
  }
}
