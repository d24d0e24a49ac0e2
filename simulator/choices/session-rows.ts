import type { ChoiceRow } from './choice-rows.ts'

const AT_MS = Date.UTC(2025, 0, 2, 3, 4, 5, 6)

export const SESSION_ROWS: readonly ChoiceRow[] = [
  { path: 'profile.signature', what: 'Signatures', section: 'Authentication endpoints' },
  {
    path: 'challenge.lifetimeSeconds',
    what: 'How long a nonce may be answered, in seconds',
    section: 'Authentication',
  },
  {
    path: 'challenge.openMax',
    what: 'Challenges of a wallet that may be open at once; the oldest makes room',
    section: 'Authentication',
  },
  {
    path: 'challenge.addressLengthMax',
    what: 'The longest address taken',
    section: 'Authentication endpoints',
  },
  {
    path: 'challenge.signatureLengthMax',
    what: 'The longest signature taken',
    section: 'Authentication endpoints',
  },
  {
    path: 'challenge.message',
    what: 'The message to sign, as a JSON string',
    section: 'Authentication',
    example: ({ challenge }) =>
      escaped(challenge.message({ address: 'ADDRESS', nonce: 'NONCE', issuedAtMs: AT_MS })),
  },
  {
    path: 'createdStatus',
    what: 'Status of what makes a challenge, a session, an API token',
    section: 'Endpoints',
  },
  {
    path: 'profile.verify',
    what: 'Fields of the answer to verify and to refresh',
    section: 'Authentication endpoints',
  },
  { path: 'profile.cookies', what: 'Names of the cookies', section: 'Authentication' },
  { path: 'cookies.path', what: '`Path` of the cookies', section: 'Authentication' },
  { path: 'cookies.refreshPath', what: '`Path` of the refresh cookie', section: 'Authentication' },
  { path: 'cookies.sameSite', what: '`SameSite` of the cookies', section: 'Authentication' },
  {
    path: 'cookies.secure',
    what: '`Secure` of the cookies; with `stub --tls` it is set, and names begin with `__Host-` if `Path` is `/`',
    section: 'Authentication',
  },
  { path: 'cookies.extra', what: 'Further cookies', section: 'Authentication' },
  {
    path: 'signInWithoutAccess',
    what: 'Sign-in of a wallet without access: refused with 403, or allowed and refused later',
    section: 'Authentication',
  },
  {
    path: 'refresh.lifetimeSeconds',
    what: 'How long a session lives after its last refresh, in seconds',
    section: 'Authentication',
  },
  {
    path: 'profile.refresh',
    what: 'How long a replaced refresh token counts as one that races',
    section: 'Authentication endpoints',
  },
  {
    path: 'refresh.race',
    what: 'Those that lose a race: 409, or the session of the winner',
    section: 'Errors',
  },
  {
    path: 'refresh.formerAccess',
    what: 'The access token from before a refresh',
    section: 'States and transitions',
  },
  { path: 'profile.sessions', what: 'The list of sessions', section: 'Authentication endpoints' },
  { path: 'paging.sessions', what: 'Its order', section: 'Authentication endpoints' },
  { path: 'profile.wsTicket', what: 'Where a ticket stands', section: 'Authentication endpoints' },
  { path: 'tokenForm', what: 'What access tokens and tickets look like', section: 'Authentication' },
  { path: 'ticketUse', what: 'How often a ticket opens a socket', section: 'Authentication' },
]

export const API_TOKEN_ROWS: readonly ChoiceRow[] = [
  {
    path: 'profile.apiTokens',
    what: 'The list of tokens, and how many a wallet may have',
    section: 'API token endpoints, Limits',
  },
  { path: 'apiTokens.nameLengthMin', what: 'The shortest name', section: 'API token endpoints' },
  { path: 'apiTokens.nameLengthMax', what: 'The longest name', section: 'API token endpoints' },
  { path: 'apiTokens.expiresInDays', what: '`expires_in_days`', section: 'API token endpoints' },
  {
    path: 'apiTokens.expiresInDaysMin',
    what: 'The shortest life, in days',
    section: 'API token endpoints',
  },
  { path: 'apiTokens.expiresInDaysMax', what: 'The longest life, in days', section: 'Limits' },
  { path: 'apiTokens.prefixLength', what: 'How much of the secret the prefix shows', section: 'API token' },
]

/** As JSON in ASCII, so that all of it can be seen. */
function escaped(text: string): string {
  const spelt = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, spelt)
}
