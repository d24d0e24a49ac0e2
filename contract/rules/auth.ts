import { serverRules } from '../rule.ts'

export const AUTH_RULES = serverRules([
  [
    'auth.challenge.shape',
    'Authentication endpoints',
    'A challenge gives a nonce and a message.',
    '`data.nonce` and `data.message` are strings',
  ],
  [
    'auth.verify.signs-in',
    'Authentication',
    'A valid signature over the exact bytes of the message starts a session.',
    'verify succeeds, and the session reads a credentialed endpoint',
  ],
  [
    'auth.verify.body',
    'Authentication endpoints',
    'Verify returns the wallet address, the access expiry and a CSRF token.',
    'the three fields that the profile names are there',
  ],
  [
    'auth.verify.rejects-forged',
    'Authentication',
    'Only a valid signature signs in.',
    'a signature by another key is refused with a 4xx and sets no session',
  ],
  [
    'auth.cookies.http-only',
    'Authentication',
    'Access and refresh tokens arrive as httpOnly cookies.',
    'both cookies carry HttpOnly',
  ],
  [
    'auth.csrf.required',
    'Authentication',
    'A state-changing request with a session cookie carries the CSRF token.',
    'without X-CSRF-Token, and with a wrong one, it is refused with a 4xx and changes nothing',
  ],
  [
    'auth.credentials.missing-401',
    'Authentication',
    'Missing credentials answer 401.',
    'credentialed endpoints answer 401 without any',
  ],
  [
    'auth.credentials.invalid-401',
    'Authentication',
    'Invalid credentials answer 401.',
    'a made-up API token answers 401',
  ],
  [
    'auth.access.denied-403',
    'Authentication',
    'A wallet without the required access answers 403.',
    '403 at verify, or at credentialed endpoints',
  ],
  [
    'auth.session.lives-15-min',
    'Limits',
    'The access session lasts 15 minutes.',
    'it works after 14 minutes',
    'a session is kept for one minute less than its life, then for two minutes more, then refreshed',
    '15 minutes',
  ],
  [
    'auth.session.expires-15-min',
    'Limits',
    'The access session lasts no more than 15 minutes.',
    'it answers 401 after 15 minutes and slack',
    'a session is kept for one minute less than its life, then for two minutes more, then refreshed',
    '15 minutes',
  ],
  [
    'auth.refresh.revives',
    'States and transitions',
    'A refresh token renews an expired access session.',
    'refresh succeeds, and the new cookie works',
    'a session is kept for one minute less than its life, then for two minutes more, then refreshed',
    '15 minutes',
  ],
  [
    'auth.refresh.rotates',
    'Authentication',
    'Refresh rotates the refresh token and sets fresh cookies.',
    'the refresh cookie has a new value',
  ],
  [
    'auth.refresh.race-one-winner',
    'Authentication',
    'Of concurrent refreshes one wins; the others may answer 409.',
    'a winner and refused losers, or winners that share one session; no 5xx',
  ],
  [
    'auth.refresh.race-survives',
    'Errors',
    'After a 409 the original request works once the winner has completed.',
    'the session is alive after the race',
  ],
  [
    'auth.sessions.list',
    'Authentication endpoints',
    'The sessions of a wallet are listed.',
    'two sign-ins are two sessions in the list',
  ],
  [
    'auth.sessions.revoke',
    'States and transitions',
    'Revoking a session ends that session.',
    'the revoked one answers 401, the other works',
  ],
  [
    'auth.logout.current-only',
    'States and transitions',
    'Logout ends the current session only.',
    'the session answers 401, another of the same wallet works',
  ],
  [
    'auth.logout-all.every-session',
    'States and transitions',
    'Logout-all ends every session of the wallet.',
    'both sessions answer 401',
  ],
])

export const API_TOKEN_RULES = serverRules([
  [
    'api-token.create.record',
    'Resources: API token',
    'Creating a token returns its record with the full secret, which begins with ss_.',
    'the record fits, the secret begins with ss_',
  ],
  [
    'api-token.secret.once',
    'API token endpoints',
    'The secret is returned at creation only.',
    'the list does not hold it',
  ],
  [
    'api-token.bearer.works',
    'Authentication',
    'An API token reads data endpoints as a bearer token.',
    '/swaps answers 200',
  ],
  [
    'api-token.bearer.ticket',
    'Authentication',
    'An API token may ask for a WebSocket ticket.',
    '/auth/ws-ticket answers 200 with a ticket',
  ],
  [
    'api-token.management.session-only',
    'Authentication',
    'Token management takes a browser session only.',
    'with a bearer token it is refused with a 4xx',
  ],
  [
    'api-token.revoke.record',
    'Resources: API token',
    'Revoking answers with the id and revoked=true.',
    'the record fits',
  ],
  ['api-token.revoke.ends', 'States and transitions', 'A revoked token is invalid.', 'it answers 401'],
])
