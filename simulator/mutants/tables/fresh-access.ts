/** Breaks of sign-in, access and API tokens that an audit of the probes found: most need a request that no probe sent. */
import type { Credential } from '../../auth/auth.ts'
import { isSignedByWallet } from '../../auth/challenges.ts'
import { valueAt } from '../../demo-client.ts'
import type { AccessNeeds } from '../../exchange/access/access.ts'
import { all, by, only } from '../conditions.ts'
import type { AuthTools, Deviation, DeviationRequest, DeviationTable } from '../deviation.ts'
import { editAt, error, rest } from '../reactions.ts'
import { tokens } from './api-token.ts'
import { readAddress } from './auth-symptoms.ts'
import { setSession } from './refresh-symptoms.ts'
import { granting, sessions } from './session-symptoms.ts'
import { issuing } from './socket-symptoms.ts'

const VERIFY = 'POST /auth/verify'
const MINT = 'POST /tokens/mint'
const CREATION = 'POST /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const LOGOUT_ALL = 'POST /auth/logout-all'
const UNGUARDED: AccessNeeds = { session: false, admin: false, csrf: false, access: false }

export const FRESH_ACCESS_SYMPTOMS = {
  'auth-mint-missing-served': {
    breaks: 'a mint needs no credential',
    rules: ['auth.credentials.admin-401'],
    deviates: servingWithoutCredential(MINT),
  },
  'auth-mint-missing-403': {
    breaks: 'a mint without a credential returns 403',
    rules: ['auth.credentials.admin-401'],
    deviates: missing403(MINT),
  },
  'auth-token-create-missing-served': {
    breaks: 'creating an API token needs no credential',
    rules: ['auth.credentials.session-401'],
    deviates: servingWithoutCredential(CREATION),
  },
  'auth-token-create-missing-403': {
    breaks: 'creating an API token without a credential returns 403',
    rules: ['auth.credentials.session-401'],
    deviates: missing403(CREATION),
  },
  'auth-token-revoke-missing-served': {
    breaks: 'revoking an API token needs no credential',
    rules: ['auth.credentials.session-401'],
    deviates: servingWithoutCredential(DELETION, ({ request, auth }) => {
      const { id = '' } = request.params as { id?: string } // as: parameters of this route
      return auth.apiTokens.byId(id)?.address ?? ''
    }),
  },
  'auth-token-revoke-missing-403': {
    breaks: 'revoking an API token without a credential returns 403',
    rules: ['auth.credentials.session-401'],
    deviates: missing403(DELETION),
  },
  'auth-session-ended-403': {
    breaks: 'an access token that has ended or expired gets 403',
    rules: [
      ...['auth.credentials.invalid-401', 'auth.session.expires-15-min', 'auth.sessions.revoke'],
      'auth.logout-all.every-session',
    ],
    deviates: {
      ...sessions((inner, { clock }) => {
        const granted = new Set<string>()
        grantedTokens.set(clock, granted)
        return granting(inner, ({ accessToken }) => granted.add(accessToken))
      }),
      rest: [{ of: [401], when: only(isOfEndedSession), reply: error(403) }],
    },
  },
  'auth-token-any-case': {
    breaks: 'API tokens are compared without case',
    rules: ['auth.credentials.invalid-401'],
    deviates: {
      auth({ apiTokens, issueApiToken }) {
        const known = new Map<string, string>()
        const keep = (secret: string) => known.set(secret.toLowerCase(), secret)
        return {
          issueApiToken(options) {
            const secret = issueApiToken(options)
            keep(secret)
            return secret
          },
          apiTokens: {
            ...apiTokens,
            create(request) {
              const made = apiTokens.create(request)
              if (made) keep(made.secret)
              return made
            },
            bySecret: (secret) => apiTokens.bySecret(known.get(secret.toLowerCase()) ?? secret),
          },
        }
      },
    },
  },
  'auth-session-any-case': {
    breaks: 'access tokens are compared without case',
    rules: ['auth.credentials.invalid-401'],
    deviates: sessions((inner) => {
      const known = new Map<string, string>()
      return {
        ...granting(inner, ({ accessToken }) => known.set(accessToken.toLowerCase(), accessToken)),
        byAccessToken: (token) => inner.byAccessToken(known.get(token.toLowerCase()) ?? token),
      }
    }),
  },
  'auth-ticket-as-bearer': {
    breaks: 'a WebSocket ticket is accepted as a bearer token',
    rules: ['auth.credentials.invalid-401'],
    deviates: {
      auth(auth, { clock }) {
        const { issued, issueTicket } = issuing(auth)
        return {
          issueTicket,
          apiTokens: {
            ...auth.apiTokens,
            bySecret(secret) {
              const { address = '', atMs: createdAtMs = 0, expiresAtMs = 0 } = issued.get(secret) ?? {}
              const isLive = clock.nowMs() < expiresAtMs
              const token = { id: 'ticket', name: 'ticket', prefix: '', address, createdAtMs, expiresAtMs }
              return isLive ? token : auth.apiTokens.bySecret(secret)
            },
          },
        }
      },
    },
  },
  'auth-refresh-as-access': {
    breaks: 'a refresh token is accepted in the access cookie',
    rules: ['auth.credentials.invalid-401'],
    deviates: sessions((inner) => {
      const known = new Map<string, string>()
      return {
        ...granting(inner, ({ accessToken, refreshToken }) =>
          known.set(refreshToken, inner.byAccessToken(accessToken)?.id ?? ''),
        ),
        byAccessToken: (token) => inner.byAccessToken(token) ?? inner.byId(known.get(token) ?? ''),
      }
    }),
  },
  'auth-verify-takes-zeros': {
    breaks: 'verify accepts a signature of zeros only',
    rules: ['auth.verify.rejects-forged'],
    deviates: {
      isSigned: (attempt) => attempt.bytes.every((byte) => byte === 0) || isSignedByWallet(attempt),
    },
  },
  'auth-denied-session-works': {
    breaks: 'verify returns 403 to a wallet without access, with the cookies of a session that reads data',
    rules: ['auth.access.denied-403'],
    deviates: {
      rest: [
        {
          routes: () => [VERIFY],
          of: [403],
          reply: (response) => {
            const grant = response.auth.sessions.start(readAddress(response))
            return setSession(response.reply, grant, response.choices) as undefined
          },
        },
        { when: all(by('session'), only(isWithoutAccess)), needs: { access: false } },
      ],
    },
  },
  'auth-logout-all-token-done': {
    breaks: 'logout-all rejects an API token but ends the sessions of its wallet',
    rules: ['auth.sessions.session-only'],
    deviates: rest(LOGOUT_ALL, {
      of: [401, 403],
      when: by('api-token'),
      reply: ({ auth, request: { credential } }) => {
        if (typeof credential !== 'string') auth.sessions.endAll(credential.address)
        return undefined
      },
    }),
  },
  'auth-logout-all-ends-api-tokens': {
    breaks: 'logout-all revokes the API tokens of the wallet that have an expiry',
    rules: ['auth.logout-all.every-session'],
    deviates: revokingTokens(LOGOUT_ALL),
  },
  'auth-sessions-revoke-ends-api-tokens': {
    breaks: 'revoking a session revokes the API tokens of the wallet that have an expiry',
    rules: ['auth.sessions.revoke'],
    deviates: revokingTokens('POST /auth/sessions/:session_id/revoke'),
  },
  'api-token-second-ends-first': {
    breaks: 'a session that creates an API token revokes the one that it created before',
    rules: ['api-token.bearer.works', 'api-token.revoke.ends'],
    deviates: rest(CREATION, {
      reply({ clock, auth, body, request: { credential } }) {
        if (typeof credential === 'string') return undefined
        const newest = newestTokens.get(clock) ?? new Map<string, string>()
        newestTokens.set(clock, newest)
        const { address, id: maker } = credential
        auth.apiTokens.revoke({ address, id: newest.get(maker) ?? '' })
        newest.set(maker, String(valueAt(body, 'data.id')))
        return undefined
      },
    }),
  },
  'api-token-create-403': {
    breaks: 'creating an API token always returns 403',
    rules: ['api-token.create.record'],
    deviates: rest(CREATION, {
      reply(response) {
        const { auth, body, request } = response
        const { address } = request.credential as Credential // as: of a request that was served
        auth.apiTokens.revoke({ address, id: String(valueAt(body, 'data.id')) })
        return error(403)(response)
      },
    }),
  },
  'api-token-create-500': {
    breaks: 'creating an API token always returns 500',
    rules: ['api-token.create.record'],
    deviates: tokens(() => ({
      create() {
        throw new Error('no API token can be created')
      },
    })),
  },
  'referral-status-negated': {
    breaks: '/referral/status returns has_access=false to a wallet with access, and true to one without',
    rules: ['referral.status.record'],
    deviates: rest('GET /referral/status', {
      reply: editAt('data', (data) => Object.assign(data, { has_access: data.has_access !== true })),
    }),
  },
} as const satisfies DeviationTable

/** Access tokens granted so far, keyed by the clock of the stub. */
const grantedTokens = new WeakMap<AuthTools['clock'], Set<string>>()

/** The newest API token of each session that has created one, keyed by the clock of the stub. */
const newestTokens = new WeakMap<AuthTools['clock'], Map<string, string>>()

/** Serves requests without a credential as a session of that wallet (default: of none). */
function servingWithoutCredential(
  route: string,
  owner: (incoming: DeviationRequest) => string = () => '',
): Deviation {
  return rest(route, {
    when: by('missing'),
    needs: UNGUARDED,
    request: (incoming) => {
      incoming.request.credential = { kind: 'session', id: '', address: owner(incoming) }
    },
  })
}

function missing403(route: string): Deviation {
  return rest(route, { of: [401], when: by('missing'), reply: error(403) })
}

function revokingTokens(route: string): Deviation {
  return rest(route, {
    reply({ auth: { apiTokens }, request: { credential } }) {
      if (typeof credential === 'string') return undefined
      const { address } = credential
      for (const { id, expiresAtMs } of apiTokens.list(address))
        if (expiresAtMs !== null) apiTokens.revoke({ address, id })
      return undefined
    },
  })
}

/** True for a request that needs a credential and has an access cookie that was valid once. */
function isOfEndedSession({ request, clock, choices }: DeviationRequest): boolean {
  const { credential, cookies, headers, routeOptions } = request
  if (credential !== 'invalid' || headers.authorization !== undefined) return false
  const token = cookies[choices.profile.cookies.access] ?? ''
  return routeOptions.config.access !== 'public' && grantedTokens.get(clock)?.has(token) === true
}

function isWithoutAccess({ request: { credential }, auth }: DeviationRequest): boolean {
  return typeof credential !== 'string' && !auth.hasAccess(credential.address)
}
