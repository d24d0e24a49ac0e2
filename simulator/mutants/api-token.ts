import type { MutantTable } from './mutant-table.ts'

export const API_TOKEN_MUTANTS = {
  'api-token-create-bare': {
    breaks: 'the record of a new API token has no prefix',
    rules: ['api-token.create.record'],
  },
  'api-token-create-without-csrf': {
    breaks: 'an API token is made without the CSRF header',
    rules: ['api-token.create.needs-csrf'],
  },
  'api-token-secret-listed': {
    breaks: 'the token list holds the secrets',
    rules: ['api-token.secret.once', 'auth.secrets.nowhere-else'],
  },
  'api-token-unlisted': { breaks: 'the token list is empty', rules: ['api-token.list.shows'] },
  'api-token-lists-all': {
    breaks: 'the token list holds those of every wallet',
    rules: ['api-token.list.own-only'],
  },
  'api-token-stillborn': {
    breaks: 'an API token that expires is never valid',
    rules: ['api-token.bearer.works', 'api-token.bearer.ticket', 'api-token.covers.data'],
  },
  'api-token-prefix-enough': {
    breaks: 'of an API token the prefix alone is looked at',
    rules: ['auth.credentials.invalid-401'],
  },
  'api-token-no-tickets': {
    breaks: 'an API token that expires gets no WebSocket ticket',
    rules: ['api-token.bearer.ticket'],
  },
  'api-token-not-everywhere': {
    breaks: '/referral/status takes a session only',
    rules: ['api-token.covers.data'],
  },
  'api-token-manages': {
    breaks: 'API tokens are managed by API token',
    rules: ['api-token.management.session-only'],
  },
  'api-token-deletes': {
    breaks: 'API tokens are revoked by API token',
    rules: ['api-token.management.session-only'],
  },
  'api-token-revoke-says-false': {
    breaks: 'a revocation answers revoked=false',
    rules: ['api-token.revoke.record'],
  },
  'api-token-survives-revoke': { breaks: 'a revoked API token goes on', rules: ['api-token.revoke.ends'] },
  'api-token-revoke-anyones': {
    breaks: 'any wallet may revoke any API token',
    rules: ['api-token.revoke.own-only'],
  },
  'api-token-never-expires': { breaks: 'API tokens do not expire', rules: ['api-token.life.expires'] },
} as const satisfies MutantTable
