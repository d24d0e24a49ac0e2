/**
 * The specification’s requirements for clients. Probes cannot judge these: a scenario is a client itself, and sees only the
 * exchange. The stub’s observer does, for each of its clients. Plain data.
 */
import type { Rule } from './rule.ts'

/** A rule that the observer judges. `how` is what it reports as a violation. Client rules have no `takes`. */
export type ClientRule = Omit<Rule, 'takes' | 'kind'> & { kind: 'client' }

/** A duty that no exchange can observe, and why. */
export type UnobservableDuty = Pick<Rule, 'id' | 'section' | 'statement'> & { reason: string }

type Line = readonly [id: string, section: string, statement: string, expected: string, how: string]

const LINES = [
  [
    'client.input.canonical',
    'Wire conventions',
    'Localizes for display only, and converts input to the canonical form before sending.',
    'numbers in a query or a body are plain digits, and amounts are JSON strings',
    'a request is rejected with 400, and a number in it has a sign, a separator, an exponent, white space, other digits or leading zeros',
  ],
  [
    'client.pools.pages-to-end',
    'Public pool endpoints',
    'Pages /pools until `data` is empty or all rows have arrived.',
    'no page is requested beyond an empty one',
    'three empty pages in a row, each requested further on after the response to the previous one',
  ],
  [
    'client.pools.key-as-given',
    'Public pool endpoints',
    'Uses the complete pool key exactly as returned.',
    'keys in paths and rooms are exactly those of the lists',
    'a pool is not found, and its key differs from another pool’s key only in case, encoding, white space or Unicode form',
  ],
  [
    'client.message.exact',
    'Authentication',
    'Signs the exact UTF-8 bytes of the message: never rebuilt, trimmed or normalized.',
    'the signature is over the bytes of `data.message`',
    'a rejected signature is the wallet’s own, over the message trimmed, normalized, with other line ends or white space, or several of these',
  ],
  [
    'client.csrf.sent',
    'Authentication',
    'Sends X-CSRF-Token with each state-changing request of a session.',
    'each of them has the header; a refresh is not judged, because it may be how the client gets the token',
    'a request other than a read has a valid session cookie but not the header',
  ],
  [
    'client.refresh.retries-after-409',
    'Authentication',
    'After a 409 in a refresh race, retries the original request once the winner has completed.',
    'the request that got 401 before the refresh is sent again',
    'of the requests rejected with 401 until the winner has its response, fewer are repeated within 30 s than refreshes lost, although the client is still active; or after a 409, one of them or the refresh is sent twice more before the winner has its response',
  ],
  [
    'client.secrets.not-in-urls',
    'Authentication',
    'Puts no cookie, CSRF token or API token into a URL or a log.',
    'no URL of a request or a socket contains one',
    'a text in the URL is a known credential, or has the form of an API token',
  ],
  [
    'client.ticket.only',
    'Authentication',
    'Sends a ticket to the socket, never a session or an API token.',
    '`token` of an authenticate frame is a ticket',
    'an authenticate frame carries an API token, or a token of a known session',
  ],
  [
    'client.ticket.same-principal',
    'Authentication',
    'Re-authenticates a connection only as the same principal.',
    'a renewal carries a ticket of the wallet that opened the connection',
    'a valid ticket of another wallet arrives on an authenticated connection',
  ],
  [
    'client.ticket.fresh',
    'Events: connection procedure',
    'Gets a fresh ticket for each renewal and after each reconnect.',
    'no ticket is used twice on one socket, nor on a second one after the first has closed',
    'the ticket of an authenticate frame was used before, on this socket or on one that has closed',
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
    'an authenticate frame arrives within 5 s',
    'the stub had to close the socket after 5 s without one',
  ],
  [
    'client.ticket.renewed',
    'Events: connection procedure',
    'Renews with a new ticket before the 60 seconds are over.',
    'an authenticate frame with a new ticket arrives before the old one ends',
    'the stub had to close the socket at the end of a ticket that had its 60 s, and the client requested no other ticket during that time, or got one at least 10 s before the end and sent it on no socket',
  ],
  [
    'client.reconnect.resubscribes',
    'Events: connection procedure',
    'After a reconnect resends every subscription.',
    'the rooms of the lost socket are joined again',
    'within 30 s of authenticating a replacement for a lost socket, the client has joined none of its rooms or, if that is its only socket, not all of them',
  ],
  [
    'client.reconnect.synchronizes',
    'Events: connection procedure',
    'After a reconnect sends synchronize, and waits for `synchronized`.',
    'synchronize is sent once the rooms are joined again',
    'within 30 s of authenticating a replacement for a lost socket, no socket of the client has sent synchronize; or rooms of the lost socket were joined before or within 1 s of `synchronized`, but after the last synchronize',
  ],
  [
    'client.reconnect.refetches',
    'Events: connection procedure',
    'After a reconnect refetches all REST data that depends on the stream.',
    'earlier reads of the rooms’ pools, balances or configuration are repeated, for each room that is joined again',
    'after `synchronized` on a replacement for a lost socket, the client does not read again, or gets a 5xx and does not retry, what it had read for one of the rooms since a minute before the lost socket was opened; 30 s have passed without a further step of its refetch',
  ],
  [
    'client.reconnect.backs-off',
    'Events: delivery',
    'After a close with 1012 reconnects with backoff and jitter.',
    'the waits before reconnecting differ, and grow while sockets fail',
    'the waits in a row, from the end of the only socket to the next, are practically equal or stay below 100 ms, and a correct client would wait like this with a chance of one in a million: about five equal waits, or nine short ones after sockets that do not open, end within a second or are not authenticated',
  ],
  [
    'client.resync.refetches',
    'Events: server messages',
    'Refetches the affected REST data after `resync_required`.',
    'earlier reads of the rooms’ pools, balances or configuration are repeated, for each room of the socket',
    'after the control, the client does not read again, or gets a 5xx and does not retry, what it had read for one of the rooms since a minute before the socket was opened; 30 s have passed without a further step of its refetch, and the socket is open',
  ],
  [
    'client.controls.unknown-ignored',
    'Events: server messages',
    'Ignores unknown controls.',
    'the socket stays open',
    'the client closes the socket within half a second of the first unknown control that an injected fault sent on it, twice in a row; once is enough if the close code says that the control was not understood',
  ],
  [
    'client.config.refetches',
    'Events: server messages',
    'Fetches /protocol/state with the minimum revision after ProtocolConfigChanged.',
    'GET /protocol/state with a `minimum_revision` of at least the one announced',
    'within 30 s of the event no program of the client has made that request, although the socket is open; or its only one got a 429, or a 5xx other than `protocol_revision_pending`',
  ],
  [
    'client.config.retries-pending',
    'Events: server messages',
    'Retries a 503 protocol_revision_pending after the Retry-After wait.',
    'the request is repeated, but not before the wait is over',
    'the request comes during more waits for it than its programs may have: two with an API token, three with a session, five without a valid credential, or as many as the client had sockets; or an API token repeats it twice during a wait, on the connection that required it; or it is not repeated within 30 s after the wait, although the socket that received the revision is open',
  ],
  [
    'client.rooms.at-most-32',
    'Limits',
    'Joins at most 32 rooms per connection.',
    'no subscribe frame while 32 rooms are joined',
    'a subscribe frame for another room while 32 are joined',
  ],
  [
    'client.rooms.own-balances',
    'Authentication',
    'Subscribes only to the balance room of its ticket’s subject.',
    'balance rooms are those of the client’s own wallet',
    'a subscribe frame for the balance room of another address',
  ],
  [
    'client.frames.bounded',
    'Limits',
    'Sends at most 240 frames per minute and connection.',
    'at most 240 in any minute',
    'more than 240 frames on a socket within 58 s',
  ],
  [
    'client.frames.size',
    'Limits',
    'Sends no frame above 2 KB.',
    'frames of at most 2,048 bytes',
    'a longer frame, for which the stub closes the socket',
  ],
  [
    'client.frames.valid',
    'Events: client frames',
    'Sends JSON objects with one of the four actions and its field.',
    'authenticate with a text `token`, subscribe and unsubscribe with a text `room`, or synchronize',
    'a frame is not JSON, or not one of these; a valid frame in a binary message is not judged',
  ],
  [
    'client.401.replaces',
    'Errors',
    'Replaces or reissues its credential after a 401.',
    'the rejected credential is not used again',
    'five more requests, each after the previous 401, use a credential that was rejected as invalid',
  ],
  [
    'client.403.stops',
    'Errors',
    'Stops after a 403.',
    'no further requests from a wallet without access, and no repetition of a request that got 403',
    'six more requests, each after the previous 403, need access that the wallet lacks; or the same request that needs a credential is sent six more times, whatever the reason for the 403',
  ],
  [
    'client.429.waits',
    'Errors',
    'Waits before it retries after a 429.',
    'the request is not repeated before Retry-After has passed, nor immediately if there is no Retry-After',
    'the same request comes during more waits for it than its programs may have: two with an API token, three with a session, five without a valid credential, or as many as the client had sockets; or an API token repeats it twice during a wait, on the connection that required it; or, without Retry-After, it gets 429 20 times more within a second',
  ],
  [
    'client.5xx.bounded',
    'Errors',
    'Retries other 5xx within a bounded policy, with a retry cap.',
    'after some attempts the client gives up or slows down',
    'the same request gets a 5xx 30 times in a row, less than half a second apart on average',
  ],
  [
    'client.5xx.backs-off',
    'Errors',
    'Retries other 5xx with exponential backoff and jitter.',
    'the waits before retries grow, and differ',
    'four waits in a row before retries are practically equal; reads that are just as regular after a success are not retries',
  ],
] as const satisfies readonly Line[]

/** Roughly in the order of the specification. simulator/observer implements each one. */
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

export const UNOBSERVABLE_DUTIES: readonly UnobservableDuty[] = [
  {
    id: 'client.figures.exact',
    section: 'Wire conventions',
    statement:
      'Takes pool keys, token ids, amounts and fees as exact strings: never derived, rounded or made native numbers.',
    reason: 'the figure before it was sent is not visible; a rule checks for altered keys',
  },
  {
    id: 'client.route.stale-discarded',
    section: 'Data and trading endpoints',
    statement:
      'Discards or requotes a route whose protocol_revision is older than a received revision event.',
    reason: 'a dropped route looks the same as a used one, because it is used on the chain',
  },
]
