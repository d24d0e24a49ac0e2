import type { ApiTokenInfo } from '../../auth/api-tokens.ts'
import type { Auth } from '../../auth/auth.ts'
import { valueAt } from '../../demo-client.ts'
import { all, by, only } from '../conditions.ts'
import type { AuthTools, Deviation, DeviationResponse, DeviationTable } from '../deviation.ts'
import { edit, editAt, error, type Fields, rest } from '../reactions.ts'
import { ofOthers } from './session-end-symptoms.ts'

const CREATION = 'POST /api-tokens'
const LIST = 'GET /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
/** So close together as only concurrent requests are. */
const AT_ONCE_MS = 50

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

export const API_TOKEN_SYMPTOMS = {
  'api-token-create-without-name': {
    breaks: 'the record of a new API token has no name',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, { reply: editAt('data', (data) => delete data.name) }),
  },
  'api-token-create-time-number': {
    breaks: 'created_at of a new API token is a JSON number',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, {
      reply: editAt('data', (data) => Object.assign(data, { created_at: 1_735_787_045 })),
    }),
  },
  'api-token-create-unlimited-without-time': {
    breaks:
      'the record of a new API token without an expiry, or of any if one is required, has no created_at',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, {
      reply: editAt('data', (data, { choices }) => {
        const isUnlimited = (data.expires_at ?? null) === null
        if (isUnlimited || choices.apiTokens.expiresInDays === 'required') delete data.created_at
      }),
    }),
  },
  'api-token-create-csrf-200': {
    breaks: 'creating an API token without the CSRF header returns 200 with the error body',
    rules: ['api-token.create.needs-csrf'],
    deviates: rest(CREATION, {
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
    deviates: rest(LIST, { when: by('api-token'), needs: { session: false } }),
  },
  'api-token-creates-tokens': {
    breaks: 'an API token may create an API token',
    rules: ['api-token.management.session-only'],
    deviates: rest(CREATION, { when: by('api-token'), needs: { session: false } }),
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
  'api-token-at-once-lost': {
    breaks: 'of two API tokens that a wallet creates at the same time, only the later one works',
    rules: ['api-token.revoke.ends'],
    deviates: losingEarlier(),
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

type Tokens = Auth['apiTokens']

export function tokens(change: (tokens: Tokens, tools: AuthTools) => Partial<Tokens>): Deviation {
  return { auth: (auth, tools) => ({ apiTokens: { ...auth.apiTokens, ...change(auth.apiTokens, tools) } }) }
}

type Made = { secret: string; atMs: number }

/** Created API tokens by id, keyed by the clock of the stub. */
const madeTokens = new WeakMap<AuthTools['clock'], Map<string, Made>>()

/** Changes the rows of the token list, with the secrets at hand. */
export function listingSecrets(
  change: (row: Fields, made: Made, response: DeviationResponse) => void,
): Deviation {
  const keep: Deviation = tokens(({ create }, { clock }) => {
    const known = new Map<string, Made>()
    madeTokens.set(clock, known)
    return {
      create(request) {
        const made = create(request)
        if (made) known.set(made.info.id, { secret: made.secret, atMs: clock.nowMs() })
        return made
      },
    }
  })
  const show = rest(LIST, {
    reply: edit((body, response) => {
      const { list, id } = response.choices.profile.apiTokens
      const rows = valueAt(body, list) as Fields[] // as: the stub's list
      for (const row of rows) {
        const made = madeTokens.get(response.clock)?.get(String(valueAt(row, id)))
        if (made) change(row, made, response)
      }
    }),
  })
  return { ...keep, ...show }
}

/** Loses the token of a creation right before, which came on another connection: requests in turn share one. */
function losingEarlier(): Deviation {
  const before = new WeakMap<
    AuthTools['clock'],
    { id: string; address: string; socket: object; atMs: number }
  >()
  return rest(CREATION, {
    reply({ clock, body, auth, request: { credential, socket } }) {
      if (typeof credential === 'string') return undefined
      const { address } = credential
      const last = before.get(clock)
      const atMs = clock.nowMs()
      if (last?.address === address && last.socket !== socket && atMs - last.atMs <= AT_ONCE_MS)
        auth.apiTokens.revoke(last)
      before.set(clock, { id: String(valueAt(body, 'data.id')), address, socket, atMs })
      return undefined
    },
  })
}
