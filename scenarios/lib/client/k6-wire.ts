import { WebSocket } from 'k6/websockets'
import type { Profile } from '../../../contract/profile.ts'
import type { Wire, WireEvents } from './feed-socket.ts'

/** A socket to the feed's gateway. */
export function openK6Wire(
  { wsUrl, headers, origin }: Pick<Profile, 'wsUrl' | 'headers' | 'origin'>,
  events: WireEvents,
): Wire {
  const raw = new WebSocket(`${wsUrl.replace(/\/$/, '')}/ws`, null, {
    headers: { ...headers, ...(origin === null ? {} : { Origin: origin }) },
    tags: { name: 'feed' },
  })
  raw.onopen = events.opened
  // The close that follows tells all.
  raw.onerror = () => {}
  raw.onclose = events.closed
  raw.onmessage = (event) => events.heard(typeof event?.data === 'string' ? event.data : '')
  raw.addEventListener('pong', events.pong)
  return {
    send: (text) => raw.send(text),
    ping: () => raw.ping(),
    close: () => raw.close(1000),
  }
}
