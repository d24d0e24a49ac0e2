import type { Feed } from './feed.ts'
import { EVENTS_MISSED_MIN, whySilent } from './feed-count.ts'

/** Sockets in one room, counted together: each of them is owed every event. */
export type Subscribers = {
  /** Each has got one, or one of them enough to show that another gets none. */
  isSettled(): boolean
  /** One that gets none while another gets several, in words; undefined if there is none. */
  whoIsLeftOut(): string | undefined
}

/** Counts the events of a type that sockets in one room get. */
export function countSubscribers(feeds: readonly Feed[], type: string): Subscribers {
  const counts = () => feeds.map((feed) => feed.received.filter((message) => message.type === type).length)
  return {
    isSettled: () => counts().every((count) => count > 0) || Math.max(...counts()) >= EVENTS_MISSED_MIN,
    whoIsLeftOut() {
      const [most, left] = [Math.max(...counts()), counts().indexOf(0)]
      const feed = feeds[left]
      // Delivery is at most once: one event that is missed proves nothing.
      if (feed === undefined || most < EVENTS_MISSED_MIN || whySilent(feed) !== undefined) return undefined
      return `one of ${feeds.length} sockets in the room got none of ${most} events`
    },
  }
}
