import type { Target } from '../../../contract/scenario-config.ts'
import type { Feed, FeedMessage } from './feed.ts'
import { isOfRoom } from './room.ts'

/** The events of the rooms among all that the socket has received. */
export function eventsOf(target: Target, feed: Feed, rooms: readonly string[]): FeedMessage[] {
  const { events } = target.profile.choices
  return feed.received.filter((message) => rooms.some((room) => isOfRoom(room, message, events)))
}

/** Counts the events of a room that reach the socket from here on. */
export function countFromNow(target: Target, feed: Feed, rooms: readonly string[]): (room: string) => number {
  const { events } = target.profile.choices
  const counts = new Map(rooms.map((room) => [room, 0]))
  let read = feed.received.length
  return (room) => {
    for (const message of feed.received.slice(read)) {
      for (const one of rooms) if (isOfRoom(one, message, events)) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    read = feed.received.length
    return counts.get(room) ?? 0
  }
}

/** What makes a silence tell nothing: the socket is closed, or was told that it missed events. */
export function whySilent(feed: Feed): string | undefined {
  const closed = feed.closed()
  if (closed) return `the socket was closed with ${closed.code} meanwhile`
  const missed = feed.received.some(({ control }) => control === 'resync_required')
  return missed ? 'the socket was told that it missed events' : undefined
}

/** A room counts as silent only after several events: delivery is at most once. */
export const EVENTS_MISSED_MIN = 3
