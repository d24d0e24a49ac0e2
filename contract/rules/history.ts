import { serverRules } from '../rule.ts'

const SESSIONS =
  'Checks the recorded refreshes, reads and logouts of each session: there must be an order of them that explains all responses.'
const TOKENS =
  'Checks the recorded uses and the revocation of each API token: there must be an order of them that explains all responses.'

/** Judged by the operation log of a load, not by probes. */
export const HISTORY_RULES = serverRules([
  [
    'history.session.lasts',
    'States and transitions',
    'A session lasts until it is ended, at least as long as its access session.',
    'under load, no read with the newest cookies returns 401 before the session is logged out',
    `${SESSIONS} A 401 counts only if an older session of the wallet is served afterwards, so that the target was not reset.`,
  ],
  [
    'history.session.one-winner',
    'Authentication',
    'Refresh rotates the refresh token: of concurrent refreshes one wins.',
    'under load, no refresh token yields two different new ones',
    SESSIONS,
  ],
  [
    'history.session.stays-ended',
    'States and transitions',
    'Logout ends the session.',
    'under load, no read or refresh of a session succeeds after its logout has returned',
    SESSIONS,
  ],
  [
    'history.token.lasts',
    'States and transitions',
    'An API token is active until it is revoked or expires.',
    'under load, no use of a token returns 401 before it is revoked',
    `${TOKENS} A 401 counts only if an older token of the wallet is served afterwards, so that the target was not reset.`,
  ],
  [
    'history.token.stays-revoked',
    'States and transitions',
    'DELETE /api-tokens/{id} revokes the token.',
    'under load, no use of a token succeeds after its revocation has returned',
    TOKENS,
  ],
  [
    'history.faucet.once',
    'Limits',
    'The faucet accepts one claim per address per 15 minutes.',
    'under load, no two claims of an address are accepted within 15 minutes',
    'Checks the recorded claims of each address.',
  ],
  [
    'history.feed.at-most-once',
    'Delivery',
    'Delivery is at most once.',
    'under load, no socket receives a Trade or a ProtocolConfigChanged twice',
    'Compares the events of each socket. Two events are the same if they have the same text and an identity: the id that the profile names (`choices.events.id`), or the revision.',
  ],
  [
    'history.feed.joined-rooms',
    'Events',
    'Events come only from joined rooms.',
    'under load, no socket receives an event of a room that it has not joined, or has left',
    'Compares the events of each socket with its subscriptions. A room counts as left a second after the `synchronized` of a later synchronize.',
  ],
  [
    'history.feed.own-balance',
    'Authentication',
    "A client may subscribe only to the balance room of its ticket's subject.",
    'under load, no socket receives a BalanceChange of another wallet',
    'The step `feed-cycle` also subscribes to the balance room of another wallet. Looks for events of that address.',
  ],
  [
    'history.protocol.minimum-revision',
    'Events',
    '/protocol/state returns at least the requested revision: REST is the source of truth for ProtocolConfigChanged.',
    'under load, no 200 to a minimum_revision has a lower revision',
    'Compares the two revisions of each recorded read: those after a ProtocolConfigChanged, and concurrent ones for the current and the next revision.',
  ],
  [
    'history.ticket.expires',
    'Limits',
    'A ticket lasts no more than 60 seconds.',
    'under load, no ticket older than 75 seconds authenticates',
    'The step `feed-cycle` keeps a ticket, and authenticates with it after 75 seconds. The load must be longer.',
  ],
])
