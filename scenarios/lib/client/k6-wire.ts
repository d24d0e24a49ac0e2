import type { Target } from '../../../contract/scenario-config.ts'
import { openWebSocket } from '../feed/open-web-socket.ts'
import { createFeedStory } from '../story/feed-story.ts'
import type { Wire, WireEvents } from './feed-socket.ts'

/** A socket to the feed's gateway. */
export function openK6Wire(target: Target, events: WireEvents): Wire {
  const { socket: raw, textOf } = openWebSocket(target)
  const story = createFeedStory(target)
  raw.onopen = () => {
    story?.opened()
    events.opened()
  }
  // The close that follows tells all.
  raw.onerror = () => {}
  // The type declarations leave out the event that k6 passes.
  raw.onclose = (event?: { code?: number; reason?: string }) => {
    story?.closed({ code: event?.code ?? LOST_CODE, reason: event?.reason ?? '' })
    events.closed()
  }
  raw.onmessage = (event) => {
    const text = textOf(event)
    story?.came(text)
    events.heard(text, event?.timestamp ?? Date.now())
  }
  raw.addEventListener('pong', events.pong)
  return {
    send(text) {
      story?.sent(text)
      raw.send(text)
    },
    ping: () => raw.ping(),
    close: () => raw.close(1000),
  }
}

/** RFC 6455, section 7.4.1: no close frame came. */
const LOST_CODE = 1006
