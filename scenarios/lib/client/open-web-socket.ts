import { WebSocket } from 'k6/websockets'
import { cutSockets, heard } from 'k6/x/breakwater/bounds'
import { RESPONSE_BOUNDS } from '../../../contract/response-bounds.ts'
import type { Target } from '../../../contract/scenario-config.ts'
import { boundVu } from '../requests/bound-vu.ts'

/** Opens a socket to the feed's gateway. Whoever listens to its messages reads each by `textOfMessage`. */
export function openWebSocket(
  { profile: { wsUrl, headers, origin } }: Pick<Target, 'profile'>,
  more: Readonly<Record<string, string>> = {},
): WebSocket {
  boundVu()
  const socket = new WebSocket(`${wsUrl.replace(/\/$/, '')}/ws`, null, {
    headers: { ...headers, ...(origin === null ? {} : { Origin: origin }), ...more },
    tags: { name: 'feed' },
  })
  // RFC 6455, section 4.1: a server may not use an extension that was not offered. k6 decompresses anyway, without limit.
  socket.addEventListener('open', () => {
    // The type declarations leave it out: the values of the header, null or none.
    const { extensions } = socket as { extensions?: readonly string[] | null }
    if (extensions?.length) cutSockets()
  })
  return socket
}

/** The text of a message; a fixed one for a message that is binary, or nested too deep. */
export function textOfMessage(event: { data?: unknown } | undefined): string {
  const data = event?.data
  if (typeof data === 'string') return heard(data) ? data : TOO_DEEP
  heard(bytesOf(data))
  return '<binary>'
}

const TOO_DEEP = `<JSON nested deeper than ${RESPONSE_BOUNDS.jsonLevelsMax} levels>`

function bytesOf(data: unknown): number {
  const { size } = Object(data) as { size?: unknown } // as: checked below; a Blob has one
  return typeof size === 'number' ? size : 0
}
