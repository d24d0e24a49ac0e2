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
])
