/**
 * How the observer judges each rule that binds clients, apart from the violation (contract/client-rules.ts): when the rule
 * applies, what passes it, and what stays unknown. Plain data, for the page of rules.
 */
import type { ClientRuleId } from './client-rules.ts'

export type ClientJudgment = {
  /** The event that makes the rule apply. */
  situation: string
  /** Without it, the rule has not passed. */
  handled: string
  /** Cases that decide nothing. */
  unknown: string
}

type Line = readonly [situation: string, handled: string, unknown: string]

const LINES: Readonly<Record<ClientRuleId, Line>> = {
  'client.input.canonical': [
    'a request has `limit`, `offset`, `amount_in` or `minimum_revision` in its query, or is rejected because of a number',
    'the number is in plain digits',
    'numbers in a body that is accepted; localized input that no user has entered',
  ],
  'client.pools.pages-to-end': [
    'the client gets the page of /pools with the last row, or an empty page',
    'no further page is requested for 10 s',
    'walks that end before the last row: the client may need no more',
  ],
  'client.pools.key-as-given': [
    'a path or a room names a pool',
    'the pool exists under this key',
    'a key that belongs to no pool and resembles none; a key that the client made up and that happens to be right',
  ],
  'client.message.exact': [
    'the client sends POST /auth/verify',
    'the signature is accepted',
    'why another signature is wrong, such as one with another key',
  ],
  'client.csrf.sent': [
    'a request other than a read has a valid session cookie, on a route that needs one',
    'it has the header, right or wrong',
    'requests that are rejected before the session is known',
  ],
  'client.refresh.retries-after-409': [
    'a refresh gets 409 because another one of the same program came first',
    'within 30 s of the response to the winner, as many of the requests rejected with 401 until then are repeated as refreshes lost the race',
    'refreshes ahead of time, which leave nothing to repeat, races whose winner gets no response, and clients that are gone afterwards, or whose wait after a 429 ended less than 30 s before; which program repeats a request: if one refresh loses, the repetition of the winner is enough; one early repetition, which may be of a new tab',
  ],
  'client.secrets.not-in-urls': [
    'a client with a valid credential sends a request, or a URL contains a secret',
    'the URL of such a request contains no secret',
    'logs of the client; secrets in a form that the stub did not issue',
  ],
  'client.ticket.only': [
    'an authenticate frame carries a known ticket, API token or session token',
    'it is a ticket, valid or not',
    'texts that the stub cannot recognize, such as an expired ticket',
  ],
  'client.ticket.same-principal': [
    'an authenticate frame with a valid ticket arrives on an authenticated socket',
    'the ticket belongs to the wallet that opened the socket',
    'renewals with an invalid ticket',
  ],
  'client.ticket.fresh': [
    'a client renews, or authenticates another socket after its first one',
    'the ticket was not used before',
    'two open sockets with one ticket: two tabs may share it',
  ],
  'client.socket.authenticates-first': [
    'a socket sends subscribe, unsubscribe or synchronize for the first time',
    'an authenticate frame came before it',
    'what the client waited for between the two frames: the API does not show the response to a ticket',
  ],
  'client.socket.authenticates-in-time': [
    'a socket opens',
    'an authenticate frame arrives before the deadline',
    'sockets that close before that, and periods in which the clock was moved',
  ],
  'client.ticket.renewed': [
    'the ticket of an authenticated socket reaches its expiry',
    'a renewal is accepted before that',
    'a socket whose client requested another ticket that came late, failed or was lost, was sent on another socket, or was for an upgrade that opened none; a socket that a fault mutes; and a client whose wait after a 429 ended less than 40 s before',
  ],
  'client.reconnect.resubscribes': [
    'a socket replaces one that the exchange closed while it had rooms, and is still open 30 s later',
    'by then, the client has sent a subscribe frame for each room of the lost socket, on any of its sockets',
    'some missing rooms of a client with several sockets, and sockets that the client closed itself',
  ],
  'client.reconnect.synchronizes': [
    'a socket replaces one that the exchange closed while it had rooms, and is in a room 30 s later',
    'by then, the client has sent synchronize, and again after each room of the lost socket that it joined until 1 s after `synchronized`',
    'sockets without rooms, those that the client closed itself, and rooms that are joined later: a user may have chosen them',
  ],
  'client.reconnect.refetches': [
    'a socket that replaces a lost one gets `synchronized` and is still open 30 s later, and the client keeps data of its rooms: data that it had read since a minute before the lost socket opened',
    'after `synchronized`, data of each such room is read again, on any connection, with 30 s for each further step',
    'rooms that two sockets of the client are in, and clients whose requests fail repeatedly, hang or are cut off',
  ],
  'client.reconnect.backs-off': [
    'four times in a row, a program with one socket tries again after its socket was closed or an upgrade failed',
    'the four waits differ by more than timer noise, and one of them is above 100 ms',
    'which socket replaces which, for programs with several at a time; waits that `Retry-After` requires; waits that are short or equal, if that may be chance',
  ],
  'client.resync.refetches': [
    'a socket gets `resync_required` and is still open 30 s later, and the client keeps data of its rooms: data that it had read since a minute before the socket opened',
    'after the control, data of each such room is read again, on any connection, with 30 s for each further step',
    'controls that are still in the send buffer, rooms that two sockets of the client are in, and clients whose requests fail repeatedly, hang or are cut off',
  ],
  'client.controls.unknown-ignored': [
    'an injected fault sends the first unknown control on a socket',
    'the socket is still open half a second later',
    'a single close right after it: it may be chance',
  ],
  'client.config.refetches': [
    'an open socket gets a revision that the client has not requested yet',
    'within 30 s, /protocol/state is requested with at least this revision, by any program that may be the client, and again if the first such request gets a 5xx or a 429',
    'sockets that close before, events that are still in the send buffer, requests whose response was cut off, and clients whose wait after a 429, or whose request for an older revision, ended less than 30 s before',
  ],
  'client.config.retries-pending': [
    'a request gets 503 with `protocol_revision_pending` and `Retry-After`',
    'the same path is requested again after the wait, and not before',
    'a client that is gone, or whose wait after a 429 ended less than 30 s before; and one early request: it may be of another program',
  ],
  'client.rooms.at-most-32': [
    'a socket sends a subscribe frame',
    'the frame does not exceed the limit of 32 rooms',
    'whether the client would stop at 32: a client with few rooms passes',
  ],
  'client.rooms.own-balances': [
    'a socket subscribes to a balance room',
    'the room is joined',
    'frames that are rejected for another reason, such as too many rooms',
  ],
  'client.frames.bounded': [
    'a socket sends a frame',
    'the frame is within the limit',
    'whether the client would slow down: a client with few frames passes',
  ],
  'client.frames.size': [
    'a socket sends a frame',
    'the frame is within the limit',
    'the size of frames that the client has not sent',
  ],
  'client.frames.valid': [
    'a socket sends a text frame that the stub reads',
    'it is JSON with one of the four actions and its field',
    'valid frames in binary messages, and frames that are too large or above the limit',
  ],
  'client.401.replaces': [
    'a program’s credential is rejected as invalid',
    'later, the same program sends a valid credential that is accepted',
    'clients that send nothing more; which program at an address with the same `User-Agent` sent what',
  ],
  'client.403.stops': [
    'a sign-in gets 403 because the wallet lacks access, or a request to a route that needs a credential gets 403 for any reason',
    'for 30 s, the client does not repeat the request, and, if the wallet lacks access, gets no other such 403 with this credential',
    'some attempts within that time: a person may reload a page',
  ],
  'client.429.waits': [
    'a request gets 429',
    'the client does not repeat the request before `Retry-After` is over, and sends some request after it',
    'clients that send nothing more; a 429 without `Retry-After`, after which the client chooses its wait, unless it does not wait at all; and one early request: it may be of another program',
  ],
  'client.5xx.bounded': [
    'a request gets a 5xx other than `protocol_revision_pending`',
    'the last attempt fails too, and no other follows for 15 s: the client has given up or slowed down',
    'failures that end with a success: the client may have tried forever',
  ],
  'client.5xx.backs-off': [
    'a client repeats requests that got a 5xx without `Retry-After`',
    'four waits in a row differ by more than timer noise',
    'fewer than four waits, concurrent requests, and reads that continue at the same interval after a success',
  ],
}

export function describeJudgment(id: ClientRuleId): ClientJudgment {
  const [situation, handled, unknown] = LINES[id]
  return { situation, handled, unknown }
}
