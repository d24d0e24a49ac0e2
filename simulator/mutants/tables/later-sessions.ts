/** Breaks of the life and the end of sessions, among them some that show only with a second session or wallet. */

import type { Auth } from '../../auth/auth.ts'
import { Refusal } from '../../exchange/errors.ts'
import { by } from '../conditions.ts'
import type { AuthTools, Deviation, DeviationTable } from '../deviation.ts'
import { cookies, header, rest } from '../reactions.ts'
import { during, ofOthers } from './session-end-symptoms.ts'
import { granting, sessions } from './session-symptoms.ts'

const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT_ALL = 'POST /auth/logout-all'
const ADMIN_ROUTES = ['POST /tokens/mint', 'GET /referral/codes']
const MINUTE_MS = 60_000

export const LATER_SESSION_SYMPTOMS = {
  'auth-refreshed-session-5-min': {
    breaks: 'the access session lasts five minutes after a refresh, shorter than reported',
    rules: ['auth.session.lives-15-min'],
    deviates: refreshedFor({ lifeMs: 5 * MINUTE_MS, isReported: false }),
  },
  'auth-refreshed-session-1-hour': {
    breaks: 'the access session lasts an hour after a refresh',
    rules: ['auth.session.expires-15-min'],
    deviates: refreshedFor({ lifeMs: 60 * MINUTE_MS, isReported: true }),
  },
  'auth-sign-in-ends-others': {
    breaks: 'a sign-in ends the earlier sessions of the wallet',
    rules: ['auth.sessions.list', 'auth.session.lives-15-min'],
    deviates: sessions(({ start, endAll }) => ({
      start(address) {
        endAll(address)
        return start(address)
      },
    })),
  },
  'auth-refresh-ends-others': {
    breaks: 'a refresh ends the other sessions of the wallet',
    rules: ['auth.sessions.list', 'auth.session.lives-15-min'],
    deviates: sessions(({ refresh, byAccessToken, list, end }) => ({
      refresh(token) {
        const result = refresh(token)
        if (result.outcome !== 'rotated') return result
        const own = byAccessToken(result.grant.accessToken)?.id
        for (const { id } of list(result.grant.address)) if (id !== own) end(id)
        return result
      },
    })),
  },
  'auth-expired-session-gets-tickets': {
    breaks: '/auth/ws-ticket serves an access session that has expired',
    rules: ['auth.session.expires-15-min'],
    deviates: servingExpired('GET /auth/ws-ticket'),
  },
  'auth-expired-session-unclaimed-served': {
    breaks: '/unclaimed serves an access session that has expired',
    rules: ['auth.session.expires-15-min'],
    deviates: servingExpired('GET /unclaimed'),
  },
  'auth-logout-all-of-everyone': {
    breaks: 'logout-all also ends the sessions of all other wallets',
    rules: ['auth.logout-all.every-session'],
    deviates: sessions(({ endAll }, { wallets }) => ({
      endAll(address) {
        for (const other of wallets) if (other.address !== address) endAll(other.address)
        return endAll(address)
      },
    })),
  },
  'auth-logout-all-ends-neighbor': {
    breaks: 'logout-all also ends the newest session of another wallet',
    rules: ['auth.logout-all.every-session'],
    deviates: sessions(({ endAll, end, list }, { wallets }) => ({
      endAll(address) {
        for (const { id } of ofOthers({ list, wallets, address }).slice(-1)) end(id)
        return endAll(address)
      },
    })),
  },
  'auth-logout-all-keeps-old': {
    breaks: 'logout-all ends only the sessions of the last 8 seconds',
    rules: ['auth.logout-all.every-session'],
    deviates: during(LOGOUT_ALL, ({ end, list }, { clock }) => ({
      endAll(address) {
        const ended = list(address).filter(({ createdAtMs }) => clock.nowMs() - createdAtMs < 8000)
        for (const { id } of ended) end(id)
        return ended.length
      },
    })),
  },
  'auth-logout-all-keeps-older': {
    breaks: 'logout-all omits the sessions that are older than the current one',
    rules: ['auth.logout-all.every-session'],
    deviates: during(LOGOUT_ALL, ({ end, list }, { marked }) => ({
      endAll(address) {
        const all = list(address)
        const ended = all.slice(all.findIndex(({ id }) => id === marked()))
        for (const { id } of ended) end(id)
        return ended.length
      },
    })),
  },
  'auth-sessions-revoke-own-nothing': {
    breaks: 'a session that revokes itself gets 200 and stays valid',
    rules: ['auth.sessions.revoke'],
    deviates: keepingOwn(),
  },
  'auth-refreshed-admin-403': {
    breaks: 'a session of the administrator has no administrator rights after a refresh',
    rules: ['admin.codes.record'],
    deviates: {
      ...sessions((inner, { clock }) => {
        const refreshed = new Set<string>()
        refreshedSessions.set(clock, refreshed)
        return {
          refresh(token) {
            const result = inner.refresh(token)
            if (result.outcome === 'rotated')
              refreshed.add(inner.byAccessToken(result.grant.accessToken)?.id ?? '')
            return result
          },
        }
      }),
      ...rest(ADMIN_ROUTES, {
        when: by('session'),
        request({ request: { credential }, clock }) {
          const id = typeof credential === 'string' ? '' : credential.id
          if (refreshedSessions.get(clock)?.has(id)) throw new Refusal('admin_required')
        },
      }),
    },
  },
} as const satisfies DeviationTable

type Clock = AuthTools['clock']
type Granted = Map<string, { id: string; endsMs: number }>

/** Ids of the sessions refreshed so far, keyed by the clock of the stub. */
const refreshedSessions = new WeakMap<Clock, Set<string>>()

/** Session and end of the access tokens granted so far, keyed by the clock of the stub. */
const grantedTokens = new WeakMap<Clock, Granted>()

/** Access tokens of refreshes with a lifetime other than 15 minutes. */
function refreshedFor({ lifeMs, isReported }: { lifeMs: number; isReported: boolean }): Deviation {
  return sessions((inner, { clock }) => {
    const granted: Granted = new Map()
    const newest = new Map<string, string>()
    return {
      refresh(token) {
        const result = inner.refresh(token)
        if (result.outcome !== 'rotated') return result
        const { accessToken } = result.grant
        const id = inner.byAccessToken(accessToken)?.id ?? ''
        // Racing refreshes may share one token.
        const { endsMs } = granted.get(accessToken) ?? { endsMs: clock.nowMs() + lifeMs }
        granted.set(accessToken, { id, endsMs })
        newest.set(id, accessToken)
        return isReported ? { ...result, grant: { ...result.grant, accessExpiresAtMs: endsMs } } : result
      },
      byAccessToken(token) {
        const known = granted.get(token)
        if (known && clock.nowMs() >= known.endsMs) return undefined
        const isNewest = known !== undefined && newest.get(known.id) === token
        return inner.byAccessToken(token) ?? (isNewest ? inner.byId(known.id) : undefined)
      },
    }
  })
}

/** Serves sessions whose access token has expired on one route; sessions that have ended stay rejected. */
function servingExpired(route: string): Deviation {
  return {
    ...sessions((inner, { clock }) => {
      const granted: Granted = new Map()
      grantedTokens.set(clock, granted)
      return granting(inner, ({ accessToken, accessExpiresAtMs: endsMs }) => {
        granted.set(accessToken, { id: inner.byAccessToken(accessToken)?.id ?? '', endsMs })
      })
    }),
    ...rest(route, {
      when: by('invalid'),
      request({ request, auth, clock, choices }) {
        if (request.headers.authorization !== undefined) return
        const token = request.cookies[choices.profile.cookies.access] ?? ''
        const session = findExpired(auth, clock, token)
        if (session) request.credential = { kind: 'session', ...session }
      },
    }),
  }
}

function findExpired(auth: Auth, clock: Clock, token: string): { id: string; address: string } | undefined {
  const known = grantedTokens.get(clock)?.get(token)
  if (!known || clock.nowMs() < known.endsMs) return undefined
  const session = auth.sessions.byId(known.id)
  return session && { id: session.id, address: session.address }
}

/** A session that revokes itself also keeps its cookies. */
function keepingOwn(): Deviation {
  const kept = during(REVOKE, ({ end }, { marked }) => ({
    end: (id) => {
      if (id !== marked()) end(id)
    },
  }))
  const cookies = rest(REVOKE, { reply: header('set-cookie', undefined) })
  return { ...kept, rest: [...(kept.rest ?? []), ...(cookies.rest ?? [])] }
}

const VERIFY = 'POST /auth/verify'
const REFRESH = 'POST /auth/refresh'
/** Cookies of a sign-in and of a refresh. */
const RULES = ['auth.verify.signs-in', 'auth.refresh.sets-access']

/** Breaks of the attributes of session cookies: they show only to a client that keeps cookies as a browser does. */
export const LATER_COOKIE_SYMPTOMS = {
  'auth-access-cookie-path-auth': {
    breaks: 'the access cookie has Path=/auth, so that browsers do not send it to other paths',
    rules: RULES,
    deviates: setting('access', { from: [VERIFY, REFRESH], attribute: 'Path', value: '/auth' }),
  },
  'auth-access-cookie-5-min': {
    breaks: 'the access cookie has a Max-Age of five minutes',
    rules: RULES,
    deviates: setting('access', { from: [VERIFY, REFRESH], attribute: 'Max-Age', value: '300' }),
  },
  'auth-refresh-cookie-5-min': {
    breaks: 'the refresh cookie has a Max-Age of five minutes, less than the access session lasts',
    rules: RULES,
    deviates: setting('refresh', { from: [VERIFY, REFRESH], attribute: 'Max-Age', value: '300' }),
  },
} as const satisfies DeviationTable

type Attribute = { from: readonly string[]; attribute: string; value: string }

/** Sets an attribute of one of the two cookies. */
function setting(which: 'access' | 'refresh', { from, attribute, value }: Attribute): Deviation {
  const known = new RegExp(`;\\s*${attribute}=[^;]*`, 'i')
  return rest(from, {
    reply: cookies((cookie, names) => {
      if (!cookie.startsWith(`${names[which]}=`)) return cookie
      return `${cookie.replace(known, '')}; ${attribute}=${value}`
    }),
  })
}
