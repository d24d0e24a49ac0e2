/** An entry of the journal on one line, for people: `78  12:03:10.100  GET /fee-tiers 429 rate_limited, wait 1000 ms`. */
export function entryText(entry: Readonly<Record<string, unknown>>): string {
  const { number, atMs, kind } = entry
  return `${number}  ${timeText(Number(atMs))}  ${TEXTS[String(kind)]?.(entry) ?? String(kind)}`
}

/** The time of day by the virtual clock, in UTC. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23)
}

type Entry = Readonly<Record<string, unknown>>

const TEXTS: Readonly<Record<string, (entry: Entry) => string>> = {
  request: ({ method, route, status, code, credential, retryAfterMs, ref }) =>
    [
      `${method} ${route ?? '(no route)'} ${status}`,
      ...(code === undefined ? [] : [String(code)]),
      ...(credential === undefined ? [] : [`by ${credential}`]),
      ...(retryAfterMs === undefined ? [] : [`told to wait ${retryAfterMs} ms`]),
      `ref ${ref}`,
    ].join(', '),
  control: ({ method, route, status }) => `control API: ${method} ${route} ${status}`,
  socket: (entry) => `socket ${entry.socket}: ${SOCKET_TEXTS[String(entry.event)]?.(entry) ?? entry.event}`,
  fault: ({ fault, on, acts }) => `fault ${fault} on ${on}: ${acts === true ? 'acts' : 'does not act'}`,
}

const SOCKET_TEXTS: Readonly<Record<string, (entry: Entry) => string>> = {
  opened: () => 'opened',
  frame: ({ action, room, outcome, refused }) =>
    [
      `frame ${[action, room].filter((part) => part !== undefined).join(' ')}`,
      ...(outcome === undefined ? [] : [String(outcome)]),
      ...(refused === undefined ? [] : [`refused: ${refused}`]),
    ].join(', '),
  sent: ({ control, type, revision }) =>
    control === undefined ? `sent ${type} of revision ${revision}` : `sent control ${control}`,
  ending: ({ closeCode }) => `closed by the exchange with ${closeCode}`,
  closed: ({ closeCode, by }) => `closed with ${closeCode}${by === 'client' ? ' by the client' : ''}`,
}
