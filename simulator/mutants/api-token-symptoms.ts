import type { Auth } from '../auth/auth.ts'
import { all, by, only } from './conditions.ts'
import type { AuthTools, Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { editAt, error, rest } from './reactions.ts'

const TOKENS = 'POST /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const MINUTE_MS = 60_000

/** Only tokens that a client creates may expire; those of the stub itself never do. */
export const byOwnToken = only(
  ({ request: { credential }, auth }) =>
    typeof credential !== 'string' &&
    credential.kind === 'api-token' &&
    typeof auth.apiTokens.byId(credential.id)?.expiresAtMs === 'number',
)

const withoutCsrf = all(
  by('session'),
  only(({ request }) => request.headers['x-csrf-token'] === undefined),
)

type Tokens = Auth['apiTokens']

export function tokens(change: (tokens: Tokens, tools: AuthTools) => Partial<Tokens>): Deviation {
  return { auth: (auth, tools) => ({ apiTokens: { ...auth.apiTokens, ...change(auth.apiTokens, tools) } }) }
}

export const API_TOKEN_SYMPTOMS = {
  'api-token-create-without-name': {
    breaks: 'the record of a new API token has no name',
    rules: ['api-token.create.record'],
    deviates: rest(TOKENS, { reply: editAt('data', (data) => delete data.name) }),
  },
  'api-token-create-time-number': {
    breaks: 'created_at of a new API token is a JSON number',
    rules: ['api-token.create.record'],
    deviates: rest(TOKENS, {
      reply: editAt('data', (data) => Object.assign(data, { created_at: 1_735_787_045 })),
    }),
  },
  'api-token-create-unlimited-without-time': {
    breaks: 'the record of a new API token without an expiry has no created_at',
    rules: ['api-token.create.record'],
    deviates: rest(TOKENS, {
      reply: editAt('data', (data) => {
        if ((data.expires_at ?? null) === null) delete data.created_at
      }),
    }),
  },
  'api-token-create-csrf-200': {
    breaks: 'creating an API token without the CSRF header returns 200 with the error body',
    rules: ['api-token.create.needs-csrf'],
    deviates: rest(TOKENS, {
      of: [400, 403],
      when: withoutCsrf,
      reply: ({ reply }) => void reply.code(200),
    }),
  },
  'api-token-list-without-newest': {
    breaks: 'the token list omits tokens created in the last two minutes',
    rules: ['api-token.list.shows'],
    deviates: tokens(({ list }, { clock }) => ({
      list: (address) =>
        list(address).filter(({ createdAtMs }) => clock.nowMs() - createdAtMs > 2 * MINUTE_MS),
    })),
  },
  'api-token-not-on-unclaimed': {
    breaks: '/unclaimed returns 403 to an API token that has an expiry',
    rules: ['api-token.covers.data'],
    deviates: rest('GET /unclaimed', { when: byOwnToken, reply: error(403) }),
  },
  'api-token-lists-tokens': {
    breaks: 'an API token may list API tokens',
    rules: ['api-token.management.session-only'],
    deviates: rest('GET /api-tokens', { when: by('api-token'), needs: { session: false } }),
  },
  'api-token-creates-tokens': {
    breaks: 'an API token may create an API token',
    rules: ['api-token.management.session-only'],
    deviates: rest(TOKENS, { when: by('api-token'), needs: { session: false } }),
  },
  'api-token-revoke-without-id': {
    breaks: 'the response to a revocation has no id',
    rules: ['api-token.revoke.record'],
    deviates: rest(DELETION, { reply: editAt('data', (data) => delete data.id) }),
  },
  'api-token-revoke-text': {
    breaks: '`revoked` of a revocation is a JSON string',
    rules: ['api-token.revoke.record'],
    deviates: rest(DELETION, { reply: editAt('data', (data) => Object.assign(data, { revoked: 'true' })) }),
  },
  'api-token-revoke-late': {
    breaks: 'a revoked API token stays valid for two minutes',
    rules: ['api-token.revoke.ends'],
    deviates: tokens(({ revoke, byId }, { clock }) => ({
      revoke({ address, id }) {
        if (byId(id)?.address !== address) return revoke({ address, id })
        clock.after(2 * MINUTE_MS, () => void revoke({ address, id }))
        return true
      },
    })),
  },
  'api-token-life-threefold': {
    breaks: 'an API token lives three times as long as requested',
    rules: ['api-token.life.expires'],
    deviates: tokens(({ create }) => ({
      create: ({ expiresInDays, ...request }) =>
        create({ ...request, expiresInDays: expiresInDays === null ? null : expiresInDays * 3 }),
    })),
  },
} as const satisfies DeviationTable
