/** Breaks of API tokens: their records, their list for another session, and an early end. */
import { valueAt } from '../demo-client.ts'
import { tokens } from './api-token.ts'
import { by } from './conditions.ts'
import type { AuthTools, Deviation, DeviationTable } from './deviation.ts'
import { edit, editAt, error, rest } from './reactions.ts'

const CREATION = 'POST /api-tokens'
const LIST = 'GET /api-tokens'
const LIFE_MS = 15 * 60_000

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
