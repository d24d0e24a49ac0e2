/** Entries of the stub's journal as text: what `observe` and `hunt` show as evidence. */

type Entry = Readonly<Record<string, unknown>>

/** `78  12:03:10.100  GET /fee-tiers 429, rate_limited, Retry-After 1000 ms, ref r000001y` */
export function entryText(entry: Entry): string {
  const { number, atMs } = entry
  return `${number}  ${timeText(Number(atMs))}  ${activityText(entry)}`
}

/** `GET /fee-tiers 429, rate_limited, Retry-After 1000 ms, ref r000001y` */
export function activityText(entry: Entry): string {
  const kind = String(entry.kind)
  return TEXTS[kind]?.(entry) ?? kind
}

/** Time of day of the virtual clock, in UTC. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23)
}

const TEXTS: Readonly<Record<string, (entry: Entry) => string>> = {
  request: ({ method, route, status, lost, code, credential, retryAfterMs, ref }) =>
    [
      `${method} ${route ?? '(no route)'}${status === undefined ? '' : ` ${status}`}`,
      ...(lost === undefined ? [] : [`response lost: ${lost}`]),
      ...(code === undefined ? [] : [String(code)]),
      ...(credential === undefined ? [] : [`by ${credential}`]),
      ...(retryAfterMs === undefined ? [] : [`Retry-After ${retryAfterMs} ms`]),
      `ref ${ref}`,
    ].join(', '),
  upgrade: ({ outcome, status, retryAfterMs }) =>
    [
      `upgrade: ${outcome}${status === undefined ? '' : ` with ${status}`}`,
      ...(retryAfterMs === undefined ? [] : [`Retry-After ${retryAfterMs} ms`]),
    ].join(', '),
  control: ({ method, route, status }) => `control API: ${method} ${route} ${status}`,
  socket: (entry) => `socket ${entry.socket}: ${SOCKET_TEXTS[String(entry.event)]?.(entry) ?? entry.event}`,
  fault: ({ fault, on, triggered }) =>
    `fault ${fault} on ${on}: ${triggered === true ? 'triggered' : 'not triggered'}`,
}

const SOCKET_TEXTS: Readonly<Record<string, (entry: Entry) => string>> = {
  opened: () => 'opened',
  frame: ({ action, room, outcome, refused }) =>
    [
      `frame ${[action, room].filter((part) => part !== undefined).join(' ')}`,
      ...(outcome === undefined ? [] : [String(outcome)]),
      ...(refused === undefined ? [] : [`rejected: ${refused}`]),
    ].join(', '),
  sent: ({ control, type, revision }) =>
    control === undefined ? `sent ${type} of revision ${revision}` : `sent control ${control}`,
  ending: ({ closeCode }) => `closed by the exchange with ${closeCode}`,
  closed: ({ closeCode, by }) => `closed with ${closeCode}${by === 'client' ? ' by the client' : ''}`,
}
