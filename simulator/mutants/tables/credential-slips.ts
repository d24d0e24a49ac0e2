/** Breaks of credentials and of rejections that a second audit of the probes found. */
import type { Credential } from '../../auth/auth.ts'
import { all, by, only } from '../conditions.ts'
import type {
  AuthTools,
  Deviation,
  DeviationRequest,
  DeviationResponse,
  DeviationTable,
} from '../deviation.ts'
import { edit, error, rest, text } from '../reactions.ts'
import { anyoneSignsIn } from './access.ts'
import { tokens } from './api-token.ts'
import { granting, sessions } from './session-symptoms.ts'

const LOGOUT_ALL = 'POST /auth/logout-all'
const CREATION = 'POST /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const REVOCATION = 'POST /auth/sessions/:session_id/revoke'
const MINT = 'POST /tokens/mint'
const DAY_MS = 24 * 60 * 60 * 1000

export const CREDENTIAL_SLIP_SYMPTOMS = {
  'credential-logout-all-missing-403': {
    breaks: 'logout-all without a credential returns 403',
    rules: ['auth.credentials.session-401'],
    deviates: withoutCredential(LOGOUT_ALL, error(403)),
  },
  'credential-public-pools-token-401': {
    breaks: '/pools returns 401 to an API token',
    rules: ['access.public.pools'],
    deviates: rest('GET /pools', { when: by('api-token'), reply: error(401) }),
  },
  'credential-public-tokens-denied-403': {
    breaks: 'a wallet without access may sign in, and gets 403 at /tokens',
    rules: ['access.public.tokens'],
    deviates: {
      auth: anyoneSignsIn,
      ...rest('GET /tokens', {
        when: all(
          by('session'),
          only(
            ({ request: { credential }, auth }) =>
              typeof credential !== 'string' && !auth.hasAccess(credential.address),
          ),
        ),
        reply: error(403),
      }),
    },
  },
  'credential-ended-session-writes': {
    breaks: 'a session that has ended still creates API tokens',
    rules: ['auth.logout.current-only', 'auth.sessions.revoke'],
    deviates: {
      ...keepingGranted(),
      ...rest(CREATION, {
        when: all(
          by('invalid'),
          only((incoming) => findGranted(incoming) !== undefined),
        ),
        needs: { csrf: false },
        request: (incoming) => {
          incoming.request.credential = findGranted(incoming) ?? 'invalid'
        },
      }),
    },
  },
  'credential-csrf-skipped-for-bearer': {
    breaks:
      'a session creates an API token without the CSRF header if the request has an Authorization header',
    rules: ['api-token.create.needs-csrf'],
    deviates: rest(CREATION, {
      when: all(
        by('invalid'),
        only((incoming) => findSession(incoming) !== undefined),
      ),
      needs: { csrf: false },
      request: (incoming) => {
        incoming.request.credential = findSession(incoming) ?? 'invalid'
      },
    }),
  },
  'credential-token-revoke-missing-404': {
    breaks: 'revoking an API token without a credential returns 404',
    rules: ['auth.credentials.session-401'],
    deviates: withoutCredential(DELETION, error(404)),
  },
  'credential-session-revoke-missing-404': {
    breaks: 'revoking a session without a credential returns 404',
    rules: ['auth.credentials.session-401'],
    deviates: withoutCredential(REVOCATION, error(404)),
  },
  'credential-bearer-form-500': {
    breaks: 'an endpoint that needs a credential returns 500 to a bearer token that does not start with ss_',
    rules: ['auth.credentials.invalid-401'],
    deviates: {
      rest: [{ of: [401], when: only(({ request }) => isOtherBearer(request.headers)), reply: error(500) }],
    },
  },
  'credential-jwt-bearer-403': {
    breaks: '/unclaimed returns 403 to a bearer token that is a JWT',
    rules: ['auth.credentials.invalid-401'],
    deviates: rest('GET /unclaimed', {
      of: [401],
      when: only(({ request }) => /^Bearer ey/.test(request.headers.authorization ?? '')),
      reply: error(403),
    }),
  },
  'credential-refresh-as-bearer': {
    breaks: 'a refresh token is accepted as a bearer token',
    rules: ['auth.credentials.invalid-401'],
    deviates: {
      auth({ sessions: inner, apiTokens }, { clock }) {
        const known = new Map<string, string>()
        const token = { id: 'refresh', name: 'refresh', prefix: '', expiresAtMs: null }
        return {
          sessions: {
            ...inner,
            ...granting(inner, ({ refreshToken, address }) => known.set(refreshToken, address)),
          },
          apiTokens: {
            ...apiTokens,
            bySecret(secret) {
              const address = known.get(secret)
              if (address === undefined) return apiTokens.bySecret(secret)
              return { ...token, address, createdAtMs: clock.nowMs() }
            },
          },
        }
      },
    },
  },
  'credential-token-as-cookie': {
    breaks: 'an API token is accepted in the access cookie, with the rights of a session',
    rules: ['auth.credentials.invalid-401'],
    deviates: sessions((inner, { auth }) => ({
      byAccessToken(token) {
        const address = auth.apiTokens.bySecret(token)?.address
        return address === undefined ? inner.byAccessToken(token) : inner.list(address)[0]
      },
    })),
  },
  'credential-missing-redirected': {
    breaks: '/fee-tiers redirects requests without a credential to a page for signing in',
    rules: ['auth.credentials.missing-401'],
    deviates: withoutCredential('GET /fee-tiers', ({ reply }) => {
      reply.code(302).header('location', '/login')
      return { text: '' }
    }),
  },
  'credential-token-create-details': {
    breaks: 'creating an API token returns 422 with a list of `detail` to invalid input',
    rules: ['wire.error.body-shape'],
    deviates: detailed(CREATION),
  },
  'credential-token-id-details': {
    breaks: 'revoking an API token returns 422 with a list of `detail` to an id that is no UUID',
    rules: ['wire.error.body-shape'],
    deviates: rest(DELETION, {
      of: [404],
      when: only(({ request }) => !/^[0-9a-f-]{36}$/.test(String((request.params as { id?: string }).id))), // as: parameters of this route
      reply: details,
    }),
  },
  'credential-sessions-missing-text': {
    breaks: '/auth/sessions rejects a request without a credential in plain text',
    rules: ['wire.body.json'],
    deviates: withoutCredential('GET /auth/sessions', plain),
  },
  'credential-ticket-missing-empty': {
    breaks: '/auth/ws-ticket rejects a request without a credential with an empty body',
    rules: ['wire.body.json'],
    deviates: withoutCredential(
      'GET /auth/ws-ticket',
      text(() => ''),
    ),
  },
  'credential-mint-denied-message': {
    breaks: 'the rejection of a mint has a `message` and no `error`',
    rules: ['wire.error.body-shape'],
    deviates: rest(MINT, {
      of: [403],
      reply: edit((body) => Object.assign(body, { message: body.error, error: undefined })),
    }),
  },
  'credential-token-30-days-overflows': {
    breaks: 'the lifetime of an API token in milliseconds has 32 bits, so one for 30 days has already ended',
    rules: ['api-token.revoke.ends'],
    deviates: tokens(({ create }) => ({
      create: ({ expiresInDays, ...request }) =>
        create({
          ...request,
          expiresInDays: expiresInDays === null ? null : ((expiresInDays * DAY_MS) | 0) / DAY_MS,
        }),
    })),
  },
  'credential-ended-administrator': {
    breaks: 'the guard of the referral codes trusts an access token whose session has ended',
    rules: ['admin.codes.session-only'],
    deviates: {
      ...keepingGranted(),
      ...rest('GET /referral/codes', {
        when: all(
          by('invalid'),
          only((incoming) => findGranted(incoming) !== undefined),
        ),
        request: (incoming) => {
          incoming.request.credential = findGranted(incoming) ?? 'invalid'
        },
      }),
    },
  },
  'credential-swaps-slash-open': {
    breaks: '/swaps/ is served like /swaps, but without a credential',
    rules: ['auth.credentials.missing-401'],
    deviates: {
      rest: [
        { routes: () => ['GET /swaps'], reply: ({ clock, text }) => void swapPages.set(clock, text) },
        {
          of: [404],
          when: only(({ request, clock }) => request.url === '/swaps/' && swapPages.has(clock)),
          reply: (response) => {
            response.reply.code(200)
            return { text: swapPages.get(response.clock) ?? '' }
          },
        },
      ],
    },
  },
} as const satisfies DeviationTable

function detailed(route: string, when = only(() => true)): Deviation {
  return rest(route, { of: [400, 422], when, reply: details })
}

/** As a web framework rejects input by default. */
function details({ reply }: DeviationResponse) {
  reply.code(422)
  return { text: JSON.stringify({ detail: [{ loc: ['body'], msg: 'Input should be a valid string' }] }) }
}

function plain({ reply }: DeviationResponse) {
  reply.type('text/plain; charset=utf-8')
  return { text: 'rejected' }
}

function isOtherBearer({ authorization = '' }: { authorization?: string | undefined }): boolean {
  return authorization !== '' && !authorization.startsWith('Bearer ss_')
}

function withoutCredential(routes: string | readonly string[], reply: ReturnType<typeof error>): Deviation {
  return rest(routes, { of: [401], when: by('missing'), reply })
}

/** The newest page of swaps, keyed by the clock of the stub. */
const swapPages = new WeakMap<AuthTools['clock'], string>()

/** Holders of the access tokens granted so far, keyed by the clock of the stub. */
const granted = new WeakMap<AuthTools['clock'], Map<string, Credential>>()

function keepingGranted(): Deviation {
  return sessions((inner, { clock }) => {
    const known = new Map<string, Credential>()
    granted.set(clock, known)
    return granting(inner, ({ accessToken, address }) =>
      known.set(accessToken, { kind: 'session', id: '', address }),
    )
  })
}

function findGranted({ request, clock, choices }: DeviationRequest): Credential | undefined {
  if (request.headers.authorization !== undefined) return undefined
  return granted.get(clock)?.get(request.cookies[choices.profile.cookies.access] ?? '')
}

/** The session of the access cookie, whatever the Authorization header. */
function findSession({ request, auth, choices }: DeviationRequest): Credential | undefined {
  const session = auth.sessions.byAccessToken(request.cookies[choices.profile.cookies.access] ?? '')
  return session && { kind: 'session', id: session.id, address: session.address }
}
