import { valueAt } from '../../demo-client.ts'
import { by, only } from '../conditions.ts'
import type { AuthTools, Deviation, DeviationRequest, DeviationTable } from '../deviation.ts'
import { edit, editAt, error, rest, setAt, success } from '../reactions.ts'
import { listingSecrets, tokens } from './api-token.ts'
import { ofOthers } from './session-end-symptoms.ts'

const LIST = 'GET /api-tokens'
const SWAPS = 'GET /swaps'
const MINUTE_MS = 60_000
const SECRETS = ['api-token.secret.once', 'auth.secrets.nowhere-else']

export const TOKEN_SYMPTOMS = {
  'api-token-secret-as-prefix': {
    breaks: 'the token list contains the whole secret as the prefix',
    rules: SECRETS,
    deviates: listingSecrets((row, { secret }) => Object.assign(row, { token_prefix: secret })),
  },
  'api-token-secret-of-newest': {
    breaks: 'the token list contains the secrets of tokens less than two minutes old',
    rules: SECRETS,
    deviates: listingSecrets((row, { secret, atMs }, { clock }) => {
      if (clock.nowMs() - atMs < 2 * MINUTE_MS) row.token = secret
    }),
  },
  'api-token-list-other-ids': {
    breaks: 'the token list has ids that no token has',
    rules: ['api-token.list.shows'],
    deviates: rest(LIST, {
      reply: edit((body, { choices: { profile } }) => {
        const rows = valueAt(body, profile.apiTokens.list) as object[] // as: the stub's list
        for (const row of rows) {
          const id = String(valueAt(row, profile.apiTokens.id))
          setAt(row, profile.apiTokens.id, [...id].toReversed().join(''))
        }
      }),
    }),
  },
  'api-token-lists-neighbor': {
    breaks: 'the token list also contains the newest token of another wallet',
    rules: ['api-token.list.own-only'],
    deviates: tokens(({ list }, { wallets }) => ({
      list: (address) => [...list(address), ...ofOthers({ list, wallets, address }).slice(-1)],
    })),
  },
  'api-token-lists-all-later': {
    breaks: 'the token list contains those of every wallet from the second request of a wallet on',
    rules: ['api-token.list.own-only'],
    deviates: tokens(({ list }, { wallets }) => {
      const known = new Set<string>()
      return {
        list(address) {
          const isAgain = known.has(address)
          known.add(address)
          return [...list(address), ...(isAgain ? ofOthers({ list, wallets, address }) : [])]
        },
      }
    }),
  },
  'api-token-not-on-swaps': {
    breaks: '/swaps returns 403 to an API token',
    rules: ['api-token.bearer.works', 'api-token.covers.data'],
    deviates: rest(SWAPS, { when: by('api-token'), reply: error(403) }),
  },
  'api-token-late': {
    breaks: 'an API token is not valid until two minutes after its creation',
    rules: ['api-token.bearer.works', 'api-token.bearer.ticket', 'api-token.covers.data'],
    deviates: tokens(({ bySecret }, { clock }) => ({
      bySecret(secret) {
        const token = bySecret(secret)
        const isExpiring = token !== undefined && token.expiresAtMs !== null
        return isExpiring && clock.nowMs() - token.createdAtMs < 2 * MINUTE_MS ? undefined : token
      },
    })),
  },
  'api-token-revoke-anyones-404': {
    breaks: 'an API token ends when another wallet revokes it, although that returns 404',
    rules: ['api-token.revoke.own-only'],
    deviates: tokens(({ revoke, byId }) => ({
      revoke({ address, id }) {
        const owner = byId(id)?.address
        if (owner !== undefined && owner !== address) revoke({ address: owner, id })
        return revoke({ address, id })
      },
    })),
  },
  'api-token-revoke-suspends': {
    breaks: 'an API token gets 401 for two minutes after another wallet has tried to revoke it',
    rules: ['api-token.revoke.own-only'],
    deviates: rest(['DELETE /api-tokens/:id', SWAPS, 'GET /fee-tiers', 'GET /access/status'], {
      of: [200, 403, 404],
      when: isSuspended,
      reply: error(401),
    }),
  },
} as const satisfies DeviationTable

/** Requests by a token that another wallet has tried to revoke. */
function isSuspended() {
  const triedMs = new Map<string, number>()
  const isToken = by('api-token')()
  const isSession = by('session')()
  return (incoming: Parameters<typeof isToken>[0]): boolean => {
    const { request, status, clock } = incoming
    const { id } = request.params as { id?: string } // as: parameters of a revocation
    const nowMs = clock.nowMs()
    if (id !== undefined && isSession(incoming) && status === 404) triedMs.set(id, nowMs)
    if (!isToken(incoming) || typeof request.credential === 'string') return false
    return nowMs - (triedMs.get(request.credential.id) ?? Number.NEGATIVE_INFINITY) < 2 * MINUTE_MS
  }
}

const CREATION = 'POST /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const DAY_MS = 24 * 60 * 60 * 1000
const DAYS_DEFAULT = 30
/** An id that no token has. */
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

/** Breaks of API tokens that show only to a second session of the wallet, or to a client that reads a record closely. */
export const LATER_TOKEN_SYMPTOMS = {
  'api-token-revoke-by-maker-404': {
    breaks: 'an API token can be revoked only by the session that created it: others get 404',
    rules: ['api-token.revoke.ends'],
    deviates: revokedByMaker(),
  },
  'api-token-revoke-by-maker-200': {
    breaks: 'a session that revokes an API token of its wallet that another one created gets 200 in vain',
    rules: ['api-token.revoke.ends'],
    deviates: revokedByMaker({
      of: [404],
      reply: success(({ request: { originalUrl } }) => ({
        data: { id: originalUrl.split(/[/?]/)[2], revoked: true },
      })),
    }),
  },
  'api-token-expiry-shown-30-days': {
    breaks: 'expires_at of a new API token is 30 days ahead, whatever was requested',
    rules: ['api-token.life.expires'],
    deviates: rest(CREATION, {
      reply: editAt('data', (data, { clock, choices }) => {
        if (data.expires_at) data.expires_at = choices.wire.timestamp(clock.nowMs() + DAYS_DEFAULT * DAY_MS)
      }),
    }),
  },
  'api-token-life-30-days': {
    breaks: 'an API token with an expiry lasts 30 days, whatever was requested',
    rules: ['api-token.life.expires'],
    deviates: tokens(({ create }) => ({
      create: ({ expiresInDays, ...request }) =>
        create({ ...request, expiresInDays: expiresInDays === null ? null : DAYS_DEFAULT }),
    })),
  },
  'api-token-list-secret-after-prefix': {
    breaks: 'the token list contains the part of the secret after its token_prefix',
    rules: ['api-token.secret.once'],
    deviates: listingSecrets((row, { secret }) => {
      row.suffix = secret.slice(String(row.token_prefix).length)
    }),
  },
  'api-token-list-secret-without-ss': {
    breaks: 'the token list contains the secret without ss_',
    rules: ['api-token.secret.once'],
    deviates: listingSecrets((row, { secret }) => {
      row.token = secret.replace(/^ss_/, '')
    }),
  },
  'api-token-list-prefix-other': {
    breaks: 'token_prefix in the token list is not that of the token',
    rules: ['api-token.list.shows'],
    deviates: listingSecrets((row) => Object.assign(row, { token_prefix: 'ss_other' })),
  },
  'api-token-list-prefix-long': {
    breaks: 'token_prefix in the token list lacks only the last two characters of the secret',
    rules: ['api-token.secret.once'],
    deviates: listingSecrets((row, { secret }) => {
      row.token_prefix = secret.slice(0, -2)
    }),
  },
} as const satisfies DeviationTable

/** Session that created each API token, keyed by the clock of the stub. */
const makers = new WeakMap<AuthTools['clock'], Map<string, string>>()

/** Other sessions find no such token; `response` changes their 404. */
function revokedByMaker(response: Pick<Parameters<typeof rest>[1], 'of' | 'reply'> = {}): Deviation {
  const creation = rest(CREATION, {
    reply({ clock, body, request: { credential } }) {
      const known = makers.get(clock) ?? new Map<string, string>()
      makers.set(clock, known)
      if (typeof credential !== 'string') known.set(String(valueAt(body, 'data.id')), credential.id)
      return undefined
    },
  })
  const deletion = rest(DELETION, {
    when: () => {
      const isSession = by('session')()
      const isOther = only(isOfAnotherSession)()
      return (incoming) => isSession(incoming) && isOther(incoming)
    },
    request: ({ request }) => Object.assign(request.params as object, { id: UNKNOWN_ID }), // as: parameters of this route
    ...response,
  })
  return { rest: [...(creation.rest ?? []), ...(deletion.rest ?? [])] }
}

/** True for a token of the wallet that another of its sessions created. */
function isOfAnotherSession({ request: { credential, originalUrl }, auth, clock }: DeviationRequest) {
  const [, , id = ''] = originalUrl.split(/[/?]/)
  const maker = makers.get(clock)?.get(id)
  if (typeof credential === 'string' || maker === undefined || maker === credential.id) return false
  return auth.apiTokens.byId(id)?.address === credential.address
}

const LIFE_MS = 15 * 60_000

/** Breaks of API tokens: their records, their list for another session, and an early end. */
export const TOKEN_SLIP_SYMPTOMS = {
  'api-token-list-500': {
    breaks: 'the list of API tokens returns 500 to every session',
    rules: ['api-token.list.shows'],
    deviates: rest(LIST, { when: by('session'), reply: error(500) }),
  },
  'api-token-create-name-fixed': {
    breaks: 'a new API token has a fixed name instead of the requested one',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, {
      reply: editAt('data', (data) => Object.assign(data, { name: 'token' })),
    }),
  },
  'api-token-create-prefix-of-id': {
    breaks: 'token_prefix of a new API token is the beginning of its id',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, {
      reply: editAt('data', (data) =>
        Object.assign(data, { token_prefix: `ss_${String(data.id).slice(0, 8)}` }),
      ),
    }),
  },
  'api-token-list-of-session': {
    breaks: 'the list of API tokens has only those that the session has created',
    rules: ['api-token.list.shows'],
    deviates: listedToMaker(),
  },
  'api-token-create-same-name': {
    breaks: 'a request for an API token with a known name returns the known token and its secret',
    rules: ['api-token.secret.once'],
    sometimes: ['auth.secrets.nowhere-else'],
    deviates: tokens(({ create, bySecret }) => {
      const made = new Map<string, ReturnType<typeof create>>()
      return {
        create(request) {
          const key = `${request.address} ${request.name}`
          const known = made.get(key)
          if (known && bySecret(known.secret)) return known
          made.set(key, create(request))
          return made.get(key)
        },
      }
    }),
  },
  'api-token-life-15-min': {
    breaks: 'an API token ends after 15 minutes, like a session',
    rules: ['api-token.life.expires'],
    deviates: tokens(({ bySecret }, { clock }) => ({
      bySecret(secret) {
        const token = bySecret(secret)
        const isSpent = token?.expiresAtMs && clock.nowMs() - token.createdAtMs > LIFE_MS
        return isSpent ? undefined : token
      },
    })),
  },
} as const satisfies DeviationTable

/** API tokens by the session that created them, keyed by the clock of the stub. */
const madeBy = new WeakMap<AuthTools['clock'], Map<string, string>>()

function listedToMaker(): Deviation {
  const create = rest(CREATION, {
    reply({ clock, body, request: { credential } }) {
      const known = madeBy.get(clock) ?? new Map<string, string>()
      madeBy.set(clock, known)
      if (typeof credential !== 'string') known.set(String(valueAt(body, 'data.id')), credential.id)
      return undefined
    },
  })
  const list = rest(LIST, {
    reply: edit((body, { clock, request: { credential }, choices: { profile } }) => {
      const rows = valueAt(body, profile.apiTokens.list) as object[] // as: the stub's list
      const caller = typeof credential === 'string' ? '' : credential.id
      const isOwn = (row: object) => {
        const maker = madeBy.get(clock)?.get(String(valueAt(row, profile.apiTokens.id)))
        return maker === caller
      }
      rows.splice(0, rows.length, ...rows.filter(isOwn))
    }),
  })
  return { rest: [...(create.rest ?? []), ...(list.rest ?? [])] }
}
