/** Breaks by requests without rights: a rejected change has an effect, or a credential that has ended or expired changes something. */

import type { Grant } from '../../auth/sessions.ts'
import { all, by, only } from '../conditions.ts'
import type {
  AuthTools,
  Deviation,
  DeviationRequest,
  DeviationResponse,
  DeviationTable,
} from '../deviation.ts'
import { rest, success } from '../reactions.ts'
import { granting, sessions } from './session-symptoms.ts'

const CREATION = 'POST /api-tokens'
const DELETION = 'DELETE /api-tokens/:id'
const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT = 'POST /auth/logout'
const REJECTED = [401, 403]
/** As the choices have it. */
const CSRF_STATUSES = [400, 403]
const CSRF = ['auth.csrf.required']
const SESSION_401 = ['auth.credentials.session-401']

export const REFUSED_WRITE_SYMPTOMS = {
  'api-token-create-csrf-any': {
    breaks: 'an API token is created with any CSRF header, whatever its value',
    rules: ['api-token.create.needs-csrf'],
    deviates: rest(CREATION, {
      when: all(
        by('session'),
        only((incoming) => readCsrf(incoming) !== ''),
      ),
      needs: { csrf: false },
    }),
  },
  'api-token-create-csrf-of-another': {
    breaks: 'an API token is created with the CSRF token of any session',
    rules: ['api-token.create.needs-csrf'],
    deviates: knowing((find) =>
      rest(CREATION, {
        when: all(
          by('session'),
          only((incoming) => find(incoming).some(({ csrfToken }) => csrfToken === readCsrf(incoming))),
        ),
        needs: { csrf: false },
      }),
    ),
  },
  'api-token-revoked-by-token-403': {
    breaks: 'an API token that revokes another is rejected, but the other one ends',
    rules: ['api-token.management.session-only'],
    deviates: rest(DELETION, { of: REJECTED, when: by('api-token'), reply: revokeAnyway }),
  },
  'api-token-revoked-by-nobody-401': {
    breaks: 'the revocation of an API token without a credential is rejected, but the token ends',
    rules: SESSION_401,
    deviates: rest(DELETION, { of: REJECTED, when: by('missing'), reply: revokeAnyway }),
  },
  'auth-sessions-revoked-by-nobody-401': {
    breaks: 'the revocation of a session without a credential is rejected, but the session ends',
    rules: SESSION_401,
    deviates: rest(REVOKE, { of: REJECTED, when: by('missing'), reply: endAnyway }),
  },
  'api-token-revoked-csrf-403': {
    breaks: 'the revocation of an API token with a wrong CSRF token is rejected, but the token ends',
    rules: CSRF,
    deviates: rest(DELETION, { of: CSRF_STATUSES, when: by('session'), reply: revokeAnyway }),
  },
  'auth-sessions-revoked-csrf-403': {
    breaks: 'the revocation of a session with a wrong CSRF token is rejected, but the session ends',
    rules: CSRF,
    deviates: rest(REVOKE, { of: CSRF_STATUSES, when: by('session'), reply: endAnyway }),
  },
  'auth-logout-csrf-403': {
    breaks: 'a logout with a wrong CSRF token is rejected, but the session ends',
    rules: CSRF,
    deviates: rest(LOGOUT, {
      of: CSRF_STATUSES,
      when: by('session'),
      reply: ({ request: { credential }, auth }) => {
        if (typeof credential !== 'string') auth.sessions.end(credential.id)
        return undefined
      },
    }),
  },
  'auth-logout-open-by-token-ends': {
    breaks: 'logout returns 200 to every request, and ends the sessions of the wallet of an API token',
    rules: ['auth.sessions.session-only'],
    deviates: rest(LOGOUT, {
      of: REJECTED,
      when: by('missing', 'api-token'),
      reply: (response) => {
        const { credential } = response.request
        if (typeof credential !== 'string') response.auth.sessions.endAll(credential.address)
        return success(() => ({ data: {} }))(response)
      },
    }),
  },
  'api-token-revoked-by-ended-session': {
    breaks: 'a session that has ended can revoke API tokens of its wallet',
    rules: ['auth.sessions.revoke', 'auth.logout.current-only', 'auth.logout-all.every-session'],
    deviates: knowing((find) =>
      rest(DELETION, {
        of: [401],
        when: all(
          by('invalid'),
          only((incoming) => findGrant(incoming, find(incoming)) !== undefined),
        ),
        reply: (response) => {
          revokeAnyway(response)
          return success(() => ({ data: { id: readId(response), revoked: true } }))(response)
        },
      }),
    ),
  },
  'api-token-created-by-expired-session': {
    breaks: 'a session whose access has expired can create an API token',
    rules: ['auth.session.expires-15-min'],
    deviates: knowing((find) =>
      rest(CREATION, {
        when: by('invalid'),
        request(incoming) {
          const { request, auth, clock } = incoming
          const granted = findGrant(incoming, find(incoming))
          const isExpired = granted !== undefined && granted.accessExpiresAtMs <= clock.nowMs()
          const session = isExpired ? auth.sessions.byId(granted.id) : undefined
          if (session) request.credential = { kind: 'session', id: session.id, address: session.address }
        },
      }),
    ),
  },
} as const satisfies DeviationTable

function readCsrf({ request }: DeviationRequest): string {
  return String(request.headers['x-csrf-token'] ?? '')
}

function readId({ request }: DeviationRequest): string {
  const { id = '' } = request.params as { id?: string } // as: parameters of a revocation
  return id
}

function revokeAnyway(response: DeviationResponse): undefined {
  const id = readId(response)
  const { apiTokens } = response.auth
  apiTokens.revoke({ address: apiTokens.byId(id)?.address ?? '', id })
}

function endAnyway({ request, auth, choices }: DeviationResponse): undefined {
  const { session_id: id = '' } = request.params as { session_id?: string } // as: parameters of the route
  auth.sessions.end(choices.wire.sessionId.decode(id) ?? '')
}

type Granted = Pick<Grant, 'accessToken' | 'accessExpiresAtMs' | 'csrfToken'> & { id: string }

/** Grants so far, keyed by the clock of the stub. */
const grants = new WeakMap<AuthTools['clock'], Granted[]>()

function knowing(change: (find: (incoming: DeviationRequest) => readonly Granted[]) => Deviation): Deviation {
  const known = sessions((inner, { clock }) => {
    const list: Granted[] = []
    grants.set(clock, list)
    return granting(inner, (grant) =>
      list.push({ ...grant, id: inner.byAccessToken(grant.accessToken)?.id ?? '' }),
    )
  })
  return { ...known, ...change(({ clock }) => grants.get(clock) ?? []) }
}

function findGrant({ request, choices }: DeviationRequest, known: readonly Granted[]): Granted | undefined {
  const token = request.cookies[choices.profile.cookies.access]
  return request.headers.authorization === undefined
    ? known.find(({ accessToken }) => accessToken === token)
    : undefined
}
