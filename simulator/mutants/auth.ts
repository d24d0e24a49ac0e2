import type { MutantTable } from './mutant-table.ts'

export const AUTH_MUTANTS = {
  'auth-refresh-not-rotated': { breaks: 'refresh keeps the refresh token', rules: ['auth.refresh.rotates'] },
  'auth-refresh-two-winners': {
    breaks: 'concurrent refreshes each get a session of their own',
    rules: ['auth.refresh.race-one-winner'],
  },
  'auth-refresh-loser-clears': {
    breaks: 'the 409 of a lost refresh race clears the cookies',
    rules: ['auth.refresh.race-survives'],
  },
  'auth-session-30-min': {
    breaks: 'the access session lasts 30 minutes',
    rules: ['auth.session.expires-15-min'],
  },
  'auth-session-10-min': {
    breaks: 'the access session lasts 10 minutes',
    rules: ['auth.session.lives-15-min'],
  },
  'auth-logout-all-ends-one': {
    breaks: 'logout-all ends the current session only',
    rules: ['auth.logout-all.every-session'],
  },
  'auth-csrf-ignored': { breaks: 'the CSRF header is not checked', rules: ['auth.csrf.required'] },
  'auth-cookies-readable': { breaks: 'cookies lack HttpOnly', rules: ['auth.cookies.http-only'] },
  'auth-logout-ends-all': {
    breaks: 'logout ends every session of the wallet',
    rules: ['auth.logout.current-only'],
  },
  'api-token-secret-listed': { breaks: 'the token list holds the secrets', rules: ['api-token.secret.once'] },
  'api-token-survives-revoke': { breaks: 'a revoked API token goes on', rules: ['api-token.revoke.ends'] },
} as const satisfies MutantTable
