import { valueAt } from '../demo-client.ts'
import { listingSecrets, tokens } from './api-token.ts'
import { by } from './conditions.ts'
import type { DeviationTable } from './deviation.ts'
import { edit, error, rest, setAt } from './reactions.ts'
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
