import type { Sessions } from '../auth/sessions.ts'
import { valueAt } from '../demo-client.ts'
import type { Deviation } from './deviation.ts'
import { during } from './end-symptoms.ts'
import type { DeviationTable } from './mutant-table.ts'
import { edit, header, rest } from './reactions.ts'
import { ofOthers } from './session-end-symptoms.ts'
import { sessions } from './session-symptoms.ts'

const VERIFY = 'POST /auth/verify'
const SESSIONS = 'GET /auth/sessions'
const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT = 'POST /auth/logout'
const LOGOUT_ALL = 'POST /auth/logout-all'

export const SESSION_MUTANTS = {
  'auth-sessions-lists-current': {
    breaks: 'the list of sessions contains only the current one',
    rules: ['auth.sessions.list'],
    deviates: rest(SESSIONS, {
      reply: edit((body, { choices }) => {
        const { list, current } = choices.profile.sessions
        const rows = valueAt(body, list) as unknown[] // as: the stub's list
        rows.splice(0, rows.length, ...rows.filter((row) => valueAt(row, current) === true))
      }),
    }),
  },
  'auth-sessions-lists-all': {
    breaks: 'the list of sessions contains those of every wallet',
    rules: ['auth.sessions.own-only'],
    deviates: sessions(({ list }, { wallets }) => ({
      list: (address) => [...list(address), ...ofOthers({ list, wallets, address })],
    })),
  },
  'auth-sessions-by-token': byToken(SESSIONS, 'an API token may list sessions'),
  'auth-sessions-revoked-by-token': byToken(REVOKE, 'an API token may revoke sessions'),
  'auth-logout-by-token': byToken(LOGOUT, 'logout accepts an API token'),
  'auth-logout-all-by-token': byToken(LOGOUT_ALL, 'logout-all accepts an API token'),
  'auth-sessions-revoke-nothing': {
    breaks: 'a revoked session stays valid',
    rules: ['auth.sessions.revoke', 'auth.sessions.revoke-ends-refresh'],
    deviates: ending(REVOKE, () => {}),
  },
  'auth-sessions-revoke-keeps-refresh': {
    breaks: 'a revoked session can still refresh',
    rules: ['auth.sessions.revoke-ends-refresh'],
    deviates: ending(REVOKE, (id, { endAccess }) => endAccess(id)),
  },
  'auth-logout-ends-all': {
    breaks: 'logout ends every session of the wallet',
    rules: ['auth.logout.current-only'],
    deviates: ending(LOGOUT, (id, { byId, endAll }) => endAll(byId(id)?.address ?? '')),
  },
  'auth-logout-keeps-refresh': {
    breaks: 'a session that was logged out can still refresh',
    rules: ['auth.logout.ends-refresh'],
    deviates: ending(LOGOUT, (id, { endAccess }) => endAccess(id)),
  },
  'auth-logout-all-ends-one': {
    breaks: 'logout-all ends only the current session',
    rules: ['auth.logout-all.every-session', 'auth.logout-all.ends-refresh'],
    deviates: during(LOGOUT_ALL, ({ end }, { marked }) => ({
      endAll() {
        end(marked() ?? '')
        return 1
      },
    })),
  },
  'auth-logout-all-keeps-refresh': {
    breaks: 'sessions can still refresh after logout-all',
    rules: ['auth.logout-all.ends-refresh'],
    deviates: sessions(({ list, endAccess }) => ({
      endAll(address) {
        for (const { id } of list(address)) endAccess(id)
        return 1
      },
    })),
  },
  'auth-secret-in-location': {
    breaks: 'verify returns a Location that contains the CSRF token',
    rules: ['auth.secrets.not-in-urls'],
    deviates: rest(VERIFY, {
      reply: header(
        'location',
        ({ body, choices }) => `/?csrf=${valueAt(body, choices.profile.verify.csrfToken)}`,
      ),
    }),
  },
  'auth-access-token-listed': {
    breaks: 'the list of sessions contains the access token of the request',
    rules: ['auth.secrets.nowhere-else'],
    deviates: rest(SESSIONS, {
      reply: edit((body, { request, choices }) => {
        body.access_token = request.cookies[choices.profile.cookies.access]
      }),
    }),
  },
  'auth-refresh-token-in-body': {
    breaks: 'refresh returns the refresh token in its body',
    rules: ['auth.secrets.nowhere-else'],
    deviates: rest('POST /auth/refresh', {
      reply: edit((body, { request, choices }) => {
        body.replaced = request.cookies[choices.profile.cookies.refresh]
      }),
    }),
  },
  'auth-secret-in-error': {
    breaks: 'the 401 to an invalid API token repeats the token',
    rules: ['auth.secrets.nowhere-else'],
    deviates: {
      rest: [
        {
          of: [401],
          reply: edit((body, { request: { headers } }) => {
            if (headers.authorization) body.error = `${body.error}: ${headers.authorization}`
          }),
        },
      ],
    },
  },
  'auth-secret-in-header': {
    breaks: 'a header of /swaps contains the API token of the request',
    rules: ['auth.secrets.nowhere-else'],
    deviates: rest('GET /swaps', {
      reply: ({ reply, request: { headers } }) => {
        if (headers.authorization) reply.header('x-authorized-by', headers.authorization)
        return undefined
      },
    }),
  },
  'auth-secret-in-body': {
    breaks: 'the creation of an API token returns a URL that contains the token',
    rules: ['auth.secrets.not-in-urls'],
    deviates: rest('POST /api-tokens', {
      reply: edit((body) => {
        body.manage = `https://exchange.example/tokens?secret=${valueAt(body, 'data.token')}`
      }),
    }),
  },
} as const satisfies DeviationTable

function byToken(route: string, breaks: string) {
  return {
    breaks,
    rules: ['auth.sessions.session-only'],
    deviates: rest(route, { needs: { session: false } }),
  }
}

/** Replaces the session end that the route does. */
function ending(route: string, end: (id: string, sessions: Sessions) => void): Deviation {
  return during(route, (inner, { marked }) => ({
    end: (id) => (marked() === undefined ? inner.end(id) : end(id, inner)),
  }))
}
