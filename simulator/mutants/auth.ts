import type { MutantTable } from './mutant-table.ts'

export const AUTH_MUTANTS = {
  'auth-challenge-without-nonce': { breaks: 'a challenge has no nonce', rules: ['auth.challenge.shape'] },
  'auth-verify-trims': {
    breaks: 'verify wants the signature over the message without the white space around it',
    rules: ['auth.verify.signs-in'],
  },
  'auth-verify-without-expiry': {
    breaks: 'verify does not tell when the access session ends',
    rules: ['auth.verify.body'],
  },
  'auth-verify-expiry-hour': {
    breaks: 'verify says that the access session ends an hour later than it does',
    rules: ['auth.verify.expiry'],
  },
  'auth-verify-any-key': {
    breaks: 'verify takes the signature of any wallet',
    rules: ['auth.verify.rejects-forged'],
  },
  'auth-verify-unsigned': {
    breaks: 'verify does not look at the signature',
    rules: ['auth.verify.rejects-forged', 'auth.verify.rejects-altered', 'auth.verify.rejects-rebuilt'],
  },
  'auth-verify-takes-trimmed': {
    breaks: 'verify also takes a signature over the message without the white space around it',
    rules: ['auth.verify.rejects-rebuilt'],
  },
  'auth-verify-takes-line-feeds': {
    breaks: 'verify also takes a signature over the message with other line ends',
    rules: ['auth.verify.rejects-rebuilt'],
  },
  'auth-verify-takes-composed': {
    breaks: 'verify also takes a signature over the message in another Unicode form',
    rules: ['auth.verify.rejects-rebuilt'],
  },
  'auth-verify-takes-collapsed': {
    breaks: 'verify also takes a signature over the message with its white space collapsed',
    rules: ['auth.verify.rejects-rebuilt'],
  },
  'auth-cookies-readable': {
    breaks: 'cookies lack HttpOnly',
    rules: ['auth.cookies.http-only', 'auth.refresh.http-only'],
  },
  'auth-csrf-ignored': {
    breaks: 'the CSRF header is not checked',
    rules: ['api-token.create.needs-csrf'],
  },
  'auth-csrf-refused': {
    breaks: 'logout-all refuses the CSRF token that other routes take',
    rules: ['auth.csrf.required', 'auth.logout-all.every-session'],
  },
  'auth-missing-403': {
    breaks: '/access/status answers 403 without credentials',
    rules: ['auth.credentials.missing-401'],
  },
  'auth-session-missing-403': {
    breaks: '/auth/sessions answers 403 without credentials',
    rules: ['auth.credentials.session-401'],
  },
  'auth-admin-missing-403': {
    breaks: '/referral/codes answers 403 without credentials',
    rules: ['auth.credentials.admin-401'],
  },
  'auth-portfolio-missing-403': {
    breaks: 'positions and balances without credentials answer 403',
    rules: ['auth.credentials.portfolio-401'],
  },
  'auth-invalid-403': {
    breaks: '/swaps answers 403 to an API token that is not valid',
    rules: ['auth.credentials.invalid-401', 'api-token.revoke.ends', 'api-token.life.expires'],
  },
  'auth-session-end-unread': {
    breaks: 'the last 8 characters of an access token are not looked at',
    rules: ['auth.credentials.invalid-401'],
  },
  'auth-access-for-all': {
    breaks: 'wallets without access are served',
    rules: ['auth.access.denied-403'],
  },
  'auth-session-30-min': {
    breaks: 'the access session lasts 30 minutes',
    rules: ['auth.session.expires-15-min', 'auth.verify.expiry'],
  },
  'auth-session-10-min': {
    breaks: 'the access session lasts 10 minutes',
    rules: ['auth.session.lives-15-min', 'auth.verify.expiry'],
  },
  'auth-refresh-needs-access': {
    breaks: 'refresh takes an access session that has not expired',
    rules: ['auth.refresh.revives'],
  },
  'auth-refresh-by-access': {
    breaks: 'refresh goes by the access cookie where there is no refresh cookie',
    rules: ['auth.refresh.needs-cookie'],
  },
  'auth-refresh-end-unread': {
    breaks: 'the last 8 characters of a refresh token are not looked at',
    rules: ['auth.refresh.needs-cookie'],
  },
  'auth-refresh-replaced-lives-on': {
    breaks: 'a refresh token that was replaced goes on refreshing, also when no race excuses it',
    rules: ['auth.refresh.replaced-ends'],
  },
  'auth-refresh-not-rotated': { breaks: 'refresh keeps the refresh token', rules: ['auth.refresh.rotates'] },
  'auth-refresh-keeps-access': {
    breaks: 'refresh sets an access cookie only once the old one has expired',
    rules: ['auth.refresh.sets-access'],
  },
  'auth-refresh-readable': {
    breaks: 'cookies set by refresh lack HttpOnly',
    rules: ['auth.refresh.http-only'],
  },
  'auth-refresh-two-winners': {
    breaks: 'concurrent refreshes each get a session of their own',
    rules: ['auth.refresh.race-one-winner', 'auth.refresh.race-of-50'],
  },
  'auth-refresh-loser-clears': {
    breaks: 'the 409 of a lost refresh race clears the cookies',
    rules: ['auth.refresh.race-survives', 'auth.refresh.race-of-50'],
  },
  'auth-refresh-loser-is-thief': {
    breaks: 'the loser of a refresh race is taken for a thief, and the session ends',
    rules: ['auth.refresh.race-survives', 'auth.refresh.race-of-50'],
  },
  'auth-refresh-crowd-500': {
    breaks: 'losers of a refresh race get 500 from the 11th on',
    rules: ['auth.refresh.race-of-50'],
  },
  'auth-sessions-lists-current': {
    breaks: 'the list of sessions holds the current one only',
    rules: ['auth.sessions.list'],
  },
  'auth-sessions-lists-all': {
    breaks: 'the list of sessions holds those of every wallet',
    rules: ['auth.sessions.own-only'],
  },
  'auth-sessions-by-token': {
    breaks: 'sessions are listed by API token',
    rules: ['auth.sessions.session-only'],
  },
  'auth-sessions-revoked-by-token': {
    breaks: 'sessions are revoked by API token',
    rules: ['auth.sessions.session-only'],
  },
  'auth-logout-by-token': { breaks: 'logout takes an API token', rules: ['auth.sessions.session-only'] },
  'auth-logout-all-by-token': {
    breaks: 'logout-all takes an API token',
    rules: ['auth.sessions.session-only'],
  },
  'auth-sessions-revoke-nothing': {
    breaks: 'a revoked session goes on',
    rules: ['auth.sessions.revoke', 'auth.sessions.revoke-ends-refresh'],
  },
  'auth-sessions-revoke-keeps-refresh': {
    breaks: 'a revoked session can be refreshed',
    rules: ['auth.sessions.revoke-ends-refresh'],
  },
  'auth-logout-ends-all': {
    breaks: 'logout ends every session of the wallet',
    rules: ['auth.logout.current-only'],
  },
  'auth-logout-keeps-refresh': {
    breaks: 'a session that was logged out can be refreshed',
    rules: ['auth.logout.ends-refresh'],
  },
  'auth-logout-all-ends-one': {
    breaks: 'logout-all ends the current session only',
    rules: ['auth.logout-all.every-session', 'auth.logout-all.ends-refresh'],
  },
  'auth-logout-all-keeps-refresh': {
    breaks: 'sessions can be refreshed after logout-all',
    rules: ['auth.logout-all.ends-refresh'],
  },
  'auth-secret-in-location': {
    breaks: 'verify answers with a Location that holds the CSRF token',
    rules: ['auth.secrets.not-in-urls'],
  },
  'auth-access-token-listed': {
    breaks: 'the list of sessions holds the access token of the request',
    rules: ['auth.secrets.nowhere-else'],
  },
  'auth-refresh-token-in-body': {
    breaks: 'refresh answers with the refresh token in its body',
    rules: ['auth.secrets.nowhere-else'],
  },
  'auth-secret-in-error': {
    breaks: 'the 401 to an API token that is not valid repeats it',
    rules: ['auth.secrets.nowhere-else'],
  },
  'auth-secret-in-header': {
    breaks: 'a header of /swaps holds the API token of the request',
    rules: ['auth.secrets.nowhere-else'],
  },
  'auth-secret-in-body': {
    breaks: 'a new API token comes with an address that holds it',
    rules: ['auth.secrets.not-in-urls'],
  },
} as const satisfies MutantTable
