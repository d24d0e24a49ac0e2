import { WebSocket } from 'k6/websockets'
import { openSocket } from 'k6/x/breakwater/bounds'
import type { Target } from '../../../contract/scenario-config.ts'

export type Opened = {
  socket: WebSocket
  /**
   * Returns the text of a message, or a placeholder if it is binary or exceeds the JSON bounds. Call once per
   * message.
   */
  readText(event: { data?: unknown; timestamp?: number } | undefined): string
  /** Ends the socket without a closing handshake. */
  cut(): void
  /** Reads no more until the cut. */
  pause(): void
}

/** Opens a socket to the gateway. Unread messages stop it. */
export function openWebSocket(
  { profile: { wsUrl, headers, origin } }: Pick<Target, 'profile'>,
  more: Readonly<Record<string, string>> = {},
  { isSlow = false } = {},
): Opened {
  const url = `${wsUrl.replace(/\/$/, '')}/ws`
  const sent = { ...headers, ...(origin === null ? {} : { Origin: origin }), ...more }
  let made: WebSocket | undefined
  const { heard, cut, pause } = openSocket(() => {
    made = new WebSocket(url, null, { headers: sent, tags: { name: 'feed' } })
  }, isSlow)
  const socket = made as WebSocket // as: made above
  // RFC 6455, section 4.1: a server may not use an extension that was not offered. k6 decompresses anyway, without limit.
  socket.addEventListener('open', () => {
    // Missing in the type declarations: the header's values, null or undefined.
    const { extensions } = socket as { extensions?: readonly string[] | null }
    if (extensions?.length) cut()
  })
  return {
    socket,
    cut,
    pause,
    readText(event) {
      const data = event?.data
      const why = heard(data, event?.timestamp ?? Date.now())
      if (typeof data !== 'string') return '<binary>'
      return why === '' ? data : `<${why}>`
    },
  }
}
