/**
 * What the specification asks of clients. No probe judges these: a scenario is a client itself, and sees the exchange
 * alone. They are listed so that every sentence has its place.
 */
export type ClientRule = {
  id: string
  /** The specification's section, in short. */
  section: string
  /** What the specification says, in our own words. */
  statement: string
}

type Line = readonly [id: string, section: string, statement: string]

const LINES: readonly Line[] = [
  [
    'client.input.canonical',
    'Wire conventions',
    'Localizes for display only, and converts input to the canonical form before sending.',
  ],
  [
    'client.figures.exact',
    'Wire conventions',
    'Takes pool keys, token ids, amounts and fees as exact strings: never derived, rounded or made native numbers.',
  ],
  [
    'client.pools.pages-to-end',
    'Public pool endpoints',
    'Pages /pools until `data` is empty or all rows are there.',
  ],
  ['client.pools.key-as-given', 'Public pool endpoints', 'Uses the complete pool key exactly as returned.'],
  [
    'client.route.stale-discarded',
    'Data and trading endpoints',
    'Discards or requotes a route whose protocol_revision is older than a received revision event.',
  ],
  [
    'client.message.exact',
    'Authentication',
    'Signs the exact UTF-8 bytes of the message: never rebuilt, trimmed or normalized.',
  ],
  [
    'client.csrf.sent',
    'Authentication',
    'Sends X-CSRF-Token with each request of a session that changes state.',
  ],
  [
    'client.refresh.retries-after-409',
    'Authentication',
    'After a 409 of a racing refresh, retries the original request once the winner has completed.',
  ],
  [
    'client.secrets.not-in-urls',
    'Authentication',
    'Puts no cookie, CSRF token or API token into a URL or a log.',
  ],
  ['client.ticket.only', 'Authentication', 'Sends a ticket to the socket, never a session or an API token.'],
  [
    'client.ticket.same-principal',
    'Authentication',
    'Authenticates a connection again as the same principal only.',
  ],
  [
    'client.socket.authenticates-first',
    'Events: connection procedure',
    'Authenticates within 5 seconds of opening, and subscribes only after that.',
  ],
  [
    'client.ticket.renewed',
    'Events: connection procedure',
    'Renews with a new ticket before the 60 seconds are over.',
  ],
  [
    'client.reconnect.restores',
    'Events: connection procedure',
    'After a reconnect: authenticates, resends every subscription, synchronizes, waits for `synchronized`, then refetches.',
  ],
  [
    'client.reconnect.backs-off',
    'Events: delivery',
    'After a close with 1012, reconnects with backoff and jitter and a fresh ticket.',
  ],
  [
    'client.resync.refetches',
    'Events: server messages',
    'Refetches the affected REST data after `resync_required`.',
  ],
  ['client.controls.unknown-ignored', 'Events: server messages', 'Ignores controls that it does not know.'],
  [
    'client.config.refetches',
    'Events: server messages',
    'Fetches /protocol/state with the minimum revision after ProtocolConfigChanged, and retries a 503 after Retry-After.',
  ],
  ['client.rooms.at-most-32', 'Limits', 'Joins at most 32 rooms a connection.'],
  ['client.frames.bounded', 'Limits', 'Sends at most 240 frames a minute and connection, none above 2 KB.'],
  ['client.401.replaces', 'Errors', 'Replaces or reissues its credential after a 401.'],
  ['client.403.stops', 'Errors', 'Stops after a 403.'],
  ['client.429.waits', 'Errors', 'Waits before it retries after a 429.'],
  [
    'client.5xx.bounded',
    'Errors',
    'Retries other 5xx within a bounded policy: timeout, exponential backoff, jitter, a cap.',
  ],
]

export const CLIENT_RULES: readonly ClientRule[] = LINES.map(([id, section, statement]) => ({
  id,
  section,
  statement,
}))
