/** Breaks of API tokens that show only to a second session of the wallet, or to a client that reads a record closely. */
import { valueAt } from '../demo-client.ts'
import { listingSecrets, tokens } from './api-token.ts'
import { by, only } from './conditions.ts'
import type { AuthTools, Deviation, DeviationRequest, DeviationTable } from './deviation.ts'
import { editAt, rest, success } from './reactions.ts'

const CREATION = 'POST /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const DAY_MS = 24 * 60 * 60 * 1000
const DAYS_DEFAULT = 30
/** An id that no token has. */
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

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
