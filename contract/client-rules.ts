/**
 * What the specification asks of clients. No probe judges these: a scenario is a client itself, and sees the exchange
 * alone. The stub’s observer does, for each client that speaks to it. Plain data.
 */
import type { Rule } from './rule.ts'

/** A rule that the observer judges. `how` is how it sees that; `takes` is nothing that a client’s rule has. */
export type ClientRule = Omit<Rule, 'takes' | 'kind'> & { kind: 'client' }

/** A duty that no exchange can see kept or broken, and why. */
export type UnseenDuty = Pick<Rule, 'id' | 'section' | 'statement'> & { reason: string }

type Line = readonly [id: string, section: string, statement: string, expected: string, how: string]

const LINES = [
  [
    'client.input.canonical',
    'Wire conventions',
    'Localizes for display only, and converts input to the canonical form before sending.',
    'numbers of a query or a body come as plain digits, and amounts as JSON strings',
    'a request is refused with 400, and a number in it has a sign, a separator, an exponent, white space, other digits or zeros in front',
  ],
  [
    'client.pools.pages-to-end',
    'Public pool endpoints',
    'Pages /pools until `data` is empty or all rows are there.',
    'no page is asked for beyond an empty one',
    'three empty pages in a row, each asked for further on after the one before had been answered',
  ],
  [
    'client.pools.key-as-given',
    'Public pool endpoints',
    'Uses the complete pool key exactly as returned.',
    'keys in paths and rooms are those of the lists, to the letter',
    'a pool is not found whose key is that of another but for case, encoding, white space or Unicode form',
  ],
  [
    'client.message.exact',
    'Authentication',
    'Signs the exact UTF-8 bytes of the message: never rebuilt, trimmed or normalized.',
    'the signature is over the bytes of `data.message`',
    'a signature that is refused is the wallet’s own, over the message trimmed, normalized or with other line ends',
  ],
  [
    'client.csrf.sent',
    'Authentication',
    'Sends X-CSRF-Token with each request of a session that changes state.',
    'the header stands on each of them; a refresh, which may be what gets the token, is not judged',
    'a request with a valid session cookie that is no read comes without the header',
  ],
  [
    'client.refresh.retries-after-409',
    'Authentication',
    'After a 409 of a racing refresh, retries the original request once the winner has completed.',
    'the request that was answered with 401 before the refresh comes again',
    'of the requests refused with 401 before a race, fewer come again within 30 s than refreshes lost it, though the client is still there',
  ],
  [
    'client.secrets.not-in-urls',
    'Authentication',
    'Puts no cookie, CSRF token or API token into a URL or a log.',
    'no URL holds one, neither of a request nor of a socket',
    'a text in the URL is a credential that is known, or has the form of an API token',
  ],
  [
    'client.ticket.only',
    'Authentication',
    'Sends a ticket to the socket, never a session or an API token.',
    '`token` of an authenticate frame is a ticket',
    'what an authenticate frame carries is an API token, or a token of a session that is known',
  ],
  [
    'client.ticket.same-principal',
    'Authentication',
    'Authenticates a connection again as the same principal only.',
    'a renewal carries a ticket of the wallet that the connection began with',
    'a good ticket of another wallet comes on an authenticated connection',
  ],
  [
    'client.ticket.fresh',
    'Events: connection procedure',
    'Gets a fresh ticket for each renewal and after each reconnect.',
    'no ticket comes twice on one socket, nor on a second one when the first is gone',
    'the ticket of an authenticate frame is one that came before, on this socket or on one that has closed',
  ],
  [
    'client.socket.authenticates-first',
    'Events: connection procedure',
    'Subscribes only after authentication.',
    'the first frame of a socket is authenticate',
    'subscribe, unsubscribe or synchronize comes before any authenticate frame',
  ],
  [
    'client.socket.authenticates-in-time',
    'Events: connection procedure',
    'Sends the authenticate frame within 5 seconds of opening the socket.',
    'an authenticate frame comes within 5 s',
    'the socket had to be closed after 5 s without one',
  ],
  [
    'client.ticket.renewed',
    'Events: connection procedure',
    'Renews with a new ticket before the 60 seconds are over.',
    'an authenticate frame with a new ticket comes before the old one ends',
    'the socket had to be closed at the end of a ticket that had its 60 s, and no other ticket was asked for meanwhile',
  ],
  [
    'client.reconnect.resubscribes',
    'Events: connection procedure',
    'After a reconnect resends every subscription.',
    'the rooms of the socket that was lost are joined again',
    'within 30 s of authenticating in place of a lost socket: none of its rooms, or, where the client has that socket alone, not all of them',
  ],
  [
    'client.reconnect.synchronizes',
    'Events: connection procedure',
    'After a reconnect sends synchronize, and waits for `synchronized`.',
    'synchronize comes once the rooms are joined again',
    'within 30 s of authenticating in place of a lost socket no socket of the client has sent synchronize',
  ],
  [
    'client.reconnect.refetches',
    'Events: connection procedure',
    'After a reconnect refetches all REST data that depends on the stream.',
    'what was read before of the rooms’ pools, balances or configuration is read again',
    'within 30 s of `synchronized` in place of a lost socket nothing is read again of what the client had read and the rooms tell of',
  ],
  [
    'client.reconnect.backs-off',
    'Events: delivery',
    'After a close with 1012 reconnects with backoff and jitter.',
    'the waits before reconnecting differ',
    'four waits in a row, from the end of the only socket to the next, all as good as the same',
  ],
  [
    'client.resync.refetches',
    'Events: server messages',
    'Refetches the affected REST data after `resync_required`.',
    'what was read before of the rooms’ pools, balances or configuration is read again',
    'within 30 s of the control nothing is read again of what the client had read and the rooms tell of, though the socket is open',
  ],
  [
    'client.controls.unknown-ignored',
    'Events: server messages',
    'Ignores controls that it does not know.',
    'the socket stays open',
    'the client closes the socket within half a second of the first unknown control that an injected fault sent on it, twice in a row; once where the close code says that it was not understood',
  ],
  [
    'client.config.refetches',
    'Events: server messages',
    'Fetches /protocol/state with the minimum revision after ProtocolConfigChanged.',
    'GET /protocol/state with a `minimum_revision` of at least the one announced',
    'within 30 s of the event nobody of the client’s has asked so, though the socket is open',
  ],
  [
    'client.config.retries-pending',
    'Events: server messages',
    'Retries a 503 protocol_revision_pending after the Retry-After wait.',
    'the request comes again, and not before the wait is over',
    'a third wait of the same request begins while two are not over; or within 30 s after the wait it has not come again, though the socket that heard of the revision is open',
  ],
  [
    'client.rooms.at-most-32',
    'Limits',
    'Joins at most 32 rooms a connection.',
    'no subscribe frame while 32 rooms are held',
    'a subscribe frame for a further room while 32 are held',
  ],
  [
    'client.rooms.own-balances',
    'Authentication',
    'Subscribes only to the balance room of its ticket’s subject.',
    'balance rooms are those of the own wallet',
    'a subscribe frame for the balance room of another address',
  ],
  [
    'client.frames.bounded',
    'Limits',
    'Sends at most 240 frames a minute and connection.',
    'at most 240 in any minute',
    'more than 240 frames of a socket within 58 s',
  ],
  [
    'client.frames.size',
    'Limits',
    'Sends no frame above 2 KB.',
    'frames of at most 2,048 bytes',
    'a longer frame, for which the socket is closed',
  ],
  [
    'client.401.replaces',
    'Errors',
    'Replaces or reissues its credential after a 401.',
    'the refused credential is not used again',
    'five more times, each after the 401 before, a request comes with a credential that was refused as invalid',
  ],
  [
    'client.403.stops',
    'Errors',
    'Stops after a 403.',
    'no further requests of a wallet without access',
    'six more times, each after the 403 before, a request comes for which the wallet lacks access',
  ],
  [
    'client.429.waits',
    'Errors',
    'Waits before it retries after a 429.',
    'the request does not come again before Retry-After is over',
    'a third wait of the same request begins while two are not over: a client that waits has one, two programs have two',
  ],
  [
    'client.5xx.bounded',
    'Errors',
    'Retries other 5xx within a bounded policy, with a retry cap.',
    'after some attempts the client gives up, or slows down',
    'the same request is answered with 5xx 30 times in a row, less than half a second apart on average',
  ],
  [
    'client.5xx.backs-off',
    'Errors',
    'Retries other 5xx with exponential backoff and jitter.',
    'the waits before retries grow, and differ',
    'four waits in a row before retries, all as good as the same; reads that come as regularly after a success are no retries',
  ],
] as const satisfies readonly Line[]

/** In the order of the specification’s sections, more or less: each has a rule of the observer (simulator/observer). */
export const CLIENT_RULES: readonly ClientRule[] = LINES.map(([id, section, statement, expected, how]) => ({
  id,
  group: 'client',
  section,
  statement,
  expected,
  kind: 'client',
  how,
}))

export type ClientRuleId = (typeof LINES)[number][0]

export const UNSEEN_DUTIES: readonly UnseenDuty[] = [
  {
    id: 'client.figures.exact',
    section: 'Wire conventions',
    statement:
      'Takes pool keys, token ids, amounts and fees as exact strings: never derived, rounded or made native numbers.',
    reason: 'what a figure was before it was sent is not shown; a key that was altered is a rule',
  },
  {
    id: 'client.route.stale-discarded',
    section: 'Data and trading endpoints',
    statement:
      'Discards or requotes a route whose protocol_revision is older than a received revision event.',
    reason: 'a route that is dropped and one that is used look the same: it is used on the chain',
  },
]
