import type { ApiTokenInfo } from '../auth/api-tokens.ts'
import { valueAt } from '../demo-client.ts'
import { byOwnToken, tokens } from './api-token-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, editAt, error, rest } from './reactions.ts'
import { ofOthers } from './session-end-symptoms.ts'
import { listingSecrets } from './token-symptoms.ts'

const CREATION = 'POST /api-tokens'
const LIST = 'GET /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const DAY_MS = 24 * 60 * 60 * 1000

export const API_TOKEN_MUTANTS = {
  'api-token-create-bare': {
    breaks: 'the record of a new API token has no prefix',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, { reply: editAt('data', (data) => delete data.token_prefix) }),
  },
  'api-token-create-without-csrf': {
    breaks: 'an API token is created without the CSRF header',
    rules: ['api-token.create.needs-csrf'],
    deviates: rest(CREATION, { needs: { csrf: false } }),
  },
  'api-token-secret-listed': {
    breaks: 'the token list contains the secrets',
    rules: ['api-token.secret.once', 'auth.secrets.nowhere-else'],
    deviates: listingSecrets((row, { secret }) => Object.assign(row, { token: secret })),
  },
  'api-token-unlisted': {
    breaks: 'the token list is empty',
    rules: ['api-token.list.shows'],
    deviates: rest(LIST, {
      reply: edit((body, { choices }) => {
        const rows = valueAt(body, choices.profile.apiTokens.list) as unknown[] // as: the stub's list
        rows.length = 0
      }),
    }),
  },
  'api-token-lists-all': {
    breaks: 'the token list contains the tokens of every wallet',
    rules: ['api-token.list.own-only'],
    deviates: tokens(({ list }, { wallets }) => ({
      list: (address) => [...list(address), ...ofOthers({ list, wallets, address })],
    })),
  },
  'api-token-stillborn': {
    breaks: 'an API token that has an expiry is never valid',
    rules: ['api-token.bearer.works', 'api-token.bearer.ticket', 'api-token.covers.data'],
    deviates: tokens(({ bySecret }) => ({
      bySecret(secret) {
        const token = bySecret(secret)
        return token?.expiresAtMs === null ? token : undefined
      },
    })),
  },
  'api-token-prefix-enough': {
    breaks: 'only the prefix of an API token is checked',
    rules: ['auth.credentials.invalid-401'],
    deviates: tokens(({ list }, { wallets }) => ({
      bySecret: (secret) =>
        wallets.flatMap(({ address }) => list(address)).find(({ prefix }) => secret.startsWith(prefix)),
    })),
  },
  'api-token-no-tickets': {
    breaks: 'an API token that has an expiry gets no WebSocket ticket',
    rules: ['api-token.bearer.ticket'],
    deviates: rest('GET /auth/ws-ticket', { when: byOwnToken, reply: error(403) }),
  },
  'api-token-not-everywhere': {
    breaks: '/referral/status accepts only a session',
    rules: ['api-token.covers.data'],
    deviates: rest('GET /referral/status', { needs: { session: true } }),
  },
  'api-token-manages': {
    breaks: 'an API token may manage API tokens',
    rules: ['api-token.management.session-only'],
    deviates: rest([LIST, CREATION, DELETION], { needs: { session: false } }),
  },
  'api-token-deletes': {
    breaks: 'an API token may revoke API tokens',
    rules: ['api-token.management.session-only'],
    deviates: rest(DELETION, { needs: { session: false } }),
  },
  'api-token-revoke-says-false': {
    breaks: 'a revocation returns revoked=false',
    rules: ['api-token.revoke.record'],
    deviates: rest(DELETION, { reply: editAt('data', (data) => Object.assign(data, { revoked: false })) }),
  },
  'api-token-survives-revoke': {
    breaks: 'a revoked API token stays valid',
    rules: ['api-token.revoke.ends'],
    deviates: tokens(({ list, byId }) => {
      const revoked = new Set<string>()
      return {
        revoke({ address, id }) {
          if (revoked.has(id) || byId(id)?.address !== address) return false
          revoked.add(id)
          return true
        },
        list: (address) => list(address).filter(({ id }) => !revoked.has(id)),
        byId: (id) => (revoked.has(id) ? undefined : byId(id)),
      }
    }),
  },
  'api-token-revoke-anyones': {
    breaks: 'any wallet may revoke any API token',
    rules: ['api-token.revoke.own-only'],
    deviates: tokens(({ revoke, byId }) => ({
      revoke: ({ address, id }) => revoke({ address: byId(id)?.address ?? address, id }),
    })),
  },
  'api-token-never-expires': {
    breaks: 'API tokens do not expire',
    rules: ['api-token.life.expires'],
    deviates: tokens(({ create, list, bySecret, byId }, { clock }) => {
      const expiries = new Map<string, number>()
      const withExpiry = (token: ApiTokenInfo) => ({ ...token, expiresAtMs: expiries.get(token.id) ?? null })
      const known = (token: ApiTokenInfo | undefined) => token && withExpiry(token)
      return {
        create({ expiresInDays, ...request }) {
          const made = create({ ...request, expiresInDays: null })
          if (made && expiresInDays !== null)
            expiries.set(made.info.id, clock.nowMs() + expiresInDays * DAY_MS)
          return made && { ...made, info: withExpiry(made.info) }
        },
        list: (address) => list(address).map(withExpiry),
        bySecret: (secret) => known(bySecret(secret)),
        byId: (id) => known(byId(id)),
      }
    }),
  },
} as const satisfies DeviationTable
