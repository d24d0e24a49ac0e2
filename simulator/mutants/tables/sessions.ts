import type { RefreshResult, Sessions } from '../../auth/sessions.ts'
import { valueAt } from '../../demo-client.ts'
import { clearSessionCookies } from '../../exchange/access/browsers.ts'
import { by, only } from '../conditions.ts'
import type { Deviation, DeviationTable } from '../deviation.ts'
import { edit, header, rest } from '../reactions.ts'
import { dropHttpOnly } from './auth-symptoms.ts'
import { partlyRead, replacedFor, unrotated, without } from './refresh-symptoms.ts'
import { during, ofOthers } from './session-end-symptoms.ts'
import { granting, racing, rotated, sessions } from './session-symptoms.ts'

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
    rules: ['auth.sessions.revoke-ends-refresh', 'auth.sessions.revoke'],
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

const REFRESH = 'POST /auth/refresh'
const RACES = ['auth.refresh.race-survives', 'auth.refresh.race-of-50']
/** Losers of one race that get 409. */
const CROWD = 10

export const REFRESH_MUTANTS = {
  'auth-refresh-needs-access': {
    breaks: 'refresh accepts an access session that has not expired',
    rules: ['auth.refresh.revives', 'auth.refresh.needs-cookie'],
    deviates: rest(REFRESH, {
      when: by('missing', 'invalid'),
      request: ({ request }) => {
        request.cookies = {}
      },
    }),
  },
  'auth-refresh-by-access': {
    breaks: 'refresh uses the access cookie if there is no refresh cookie',
    rules: ['auth.refresh.needs-cookie'],
    deviates: rest(REFRESH, {
      when: only(({ request, choices }) => request.cookies[choices.profile.cookies.refresh] === undefined),
      request: ({ request: { credential, cookies }, auth, choices }) => {
        if (typeof credential === 'string') return
        cookies[choices.profile.cookies.refresh] = auth.sessions.start(credential.address).refreshToken
      },
    }),
  },
  'auth-refresh-end-unread': {
    breaks: 'the last 8 characters of a refresh token are not checked',
    rules: ['auth.refresh.needs-cookie'],
    deviates: partlyRead((token) => token.slice(0, -8)),
  },
  'auth-refresh-replaced-lives-on': {
    breaks: 'a replaced refresh token still refreshes, even outside a race',
    rules: ['auth.refresh.replaced-ends'],
    deviates: replacedFor(Number.POSITIVE_INFINITY),
  },
  'auth-refresh-not-rotated': {
    breaks: 'refresh keeps the refresh token',
    rules: ['auth.refresh.rotates'],
    deviates: unrotated(() => true),
  },
  'auth-refresh-keeps-access': {
    breaks: 'refresh sets an access cookie only after the old one has expired',
    rules: ['auth.refresh.sets-access'],
    deviates: { ...accessGoesOn(), ...rest(REFRESH, { when: by('session'), reply: without('access') }) },
  },
  'auth-refresh-readable': {
    breaks: 'cookies set by refresh lack HttpOnly',
    rules: ['auth.refresh.http-only'],
    deviates: dropHttpOnly(REFRESH),
  },
  'auth-refresh-two-winners': {
    breaks: 'concurrent refreshes each get a session of their own',
    rules: ['auth.refresh.race-one-winner', 'auth.refresh.race-of-50'],
    deviates: sessions((inner) => racing(inner, (_count, { address }) => rotated(inner.start(address)))),
  },
  'auth-refresh-loser-clears': {
    breaks: 'the 409 of a lost refresh race clears the cookies',
    rules: RACES,
    deviates: {
      ...sessions((inner) => racing(inner, (): RefreshResult => ({ outcome: 'raced' }))),
      ...rest(REFRESH, {
        of: [409],
        reply: ({ reply, choices }) => void clearSessionCookies(reply, choices),
      }),
    },
  },
  'auth-refresh-loser-is-thief': {
    breaks: 'losing a refresh race counts as theft and ends the session',
    rules: RACES,
    deviates: sessions((inner) =>
      racing(inner, (_count, { id }) => {
        inner.end(id)
        return { outcome: 'refused' }
      }),
    ),
  },
  'auth-refresh-crowd-500': {
    breaks: 'losers of a refresh race get 500 from the 11th on',
    rules: ['auth.refresh.race-of-50'],
    deviates: sessions((inner) =>
      racing(inner, (count) => {
        if (count > 1 + CROWD) throw new Error('too many losers of one race')
        return undefined
      }),
    ),
  },
} as const satisfies DeviationTable

/** Access tokens that survive a refresh, whatever the choices. */
function accessGoesOn(): Deviation {
  return sessions((inner, { clock }) => {
    const given = new Map<string, { id: string; endsMs: number }>()
    return {
      ...granting(inner, ({ accessToken, accessExpiresAtMs }) => {
        const id = inner.byAccessToken(accessToken)?.id ?? ''
        given.set(accessToken, { id, endsMs: accessExpiresAtMs })
      }),
      byAccessToken(token) {
        const { id = '', endsMs = 0 } = given.get(token) ?? {}
        return inner.byAccessToken(token) ?? (clock.nowMs() < endsMs ? inner.byId(id) : undefined)
      },
    }
  })
}
