import type { Auth } from '../../auth/auth.ts'
import type { Grant, RefreshResult } from '../../auth/sessions.ts'
import { all, by, hurried, only } from '../conditions.ts'
import type { AuthTools, Deviation, DeviationRequest, DeviationTable } from '../deviation.ts'
import { error, header, rest, success } from '../reactions.ts'

const REFRESH = 'POST /auth/refresh'
const SESSIONS = 'GET /auth/sessions'
const WRITES = ['POST /api-tokens', 'DELETE /api-tokens/:id', 'POST /auth/logout', 'POST /auth/logout-all']
const MINUTE_MS = 60_000
const RACES = ['auth.refresh.race-one-winner', 'auth.refresh.race-of-50']
export function sessions(
  change: (sessions: Auth['sessions'], tools: AuthTools & { auth: Auth }) => Partial<Auth['sessions']>,
): Deviation {
  return {
    auth: (auth, tools) => ({ sessions: { ...auth.sessions, ...change(auth.sessions, { ...tools, auth }) } }),
  }
}

/** Identifies the refresh cookie of a request: one per race. */
function identifyFamily({ request, choices }: DeviationRequest): string {
  return request.cookies[choices.profile.cookies.refresh] ?? ''
}

export const SESSION_SYMPTOMS = {
  'auth-session-slides': {
    breaks: 'the access session lasts for 15 minutes after each request',
    rules: ['auth.session.expires-15-min'],
    deviates: sessions((inner, { clock }) => kept(inner, { clock, lastMs: 15 * MINUTE_MS, slides: true })),
  },
  'auth-session-20-min-unsaid': {
    breaks: 'the access session lasts 20 minutes, longer than reported',
    rules: ['auth.session.expires-15-min'],
    deviates: sessions((inner, { clock }) => kept(inner, { clock, lastMs: 20 * MINUTE_MS, slides: false })),
  },
  'auth-session-12-min-403': {
    breaks: '/swaps returns 403 to an access session older than 12 minutes',
    rules: ['auth.session.lives-15-min'],
    deviates: rest('GET /swaps', {
      when: only(({ request: { credential }, auth, clock }) => {
        if (typeof credential === 'string' || credential.kind !== 'session') return false
        const session = auth.sessions.byId(credential.id)
        return session !== undefined && clock.nowMs() - session.refreshedAtMs > 12 * MINUTE_MS
      }),
      reply: error(403),
    }),
  },
  'auth-refresh-race-500': {
    breaks: 'a refresh within a second of another with the same cookie returns 500',
    rules: RACES,
    deviates: rest(REFRESH, { of: [200, 409], when: hurried(1000, identifyFamily), reply: error(500) }),
  },
  'auth-refresh-race-second': {
    breaks: 'the second of concurrent refreshes gets a session of its own',
    rules: RACES,
    deviates: sessions((inner) =>
      racing(inner, (count, { address }) => (count === 2 ? rotated(inner.start(address)) : undefined)),
    ),
  },
  'auth-refresh-crowd-many': {
    breaks: 'concurrent refreshes get sessions of their own from the twentieth on',
    rules: ['auth.refresh.race-of-50'],
    deviates: sessions((inner) =>
      racing(inner, (count, { address }) => (count >= 20 ? rotated(inner.start(address)) : undefined)),
    ),
  },
  'auth-refresh-crowd-ends': {
    breaks: 'the thirtieth of concurrent refreshes ends the session',
    rules: ['auth.refresh.race-of-50'],
    deviates: sessions((inner) =>
      racing(inner, (count, { id }) => {
        if (count === 30) inner.end(id)
        return undefined
      }),
    ),
  },
  'auth-sessions-token-empty': {
    breaks: 'an API token gets an empty list of sessions',
    rules: ['auth.sessions.session-only'],
    deviates: rest(SESSIONS, { of: [401, 403], when: by('api-token'), reply: success(() => ({ data: [] })) }),
  },
  'auth-session-expired-write-403': {
    breaks: 'a change by a session whose access has expired gets 403 for its CSRF token instead of 401',
    rules: ['auth.session.expires-15-min'],
    deviates: rest(WRITES, {
      of: [401],
      when: all(
        by('invalid'),
        only(({ request }) => request.headers['x-csrf-token'] !== undefined),
      ),
      reply: error(403),
    }),
  },
  'auth-csrf-ends-with-access': {
    breaks: 'the CSRF token is valid for 15 minutes after the sign-in, and a refresh does not renew it',
    rules: ['auth.refresh.revives'],
    deviates: rest(WRITES, {
      when: all(by('session'), only(isOlderThanAccess)),
      request: ({ request }) => void delete request.headers['x-csrf-token'],
    }),
  },
  'auth-ended-replaced-token-refreshes': {
    breaks: 'a refresh token that was replaced starts a session after the end of its own',
    rules: ['auth.logout.ends-refresh', 'auth.sessions.revoke-ends-refresh', 'auth.logout-all.ends-refresh'],
    deviates: sessions((inner) => {
      const replaced = new Map<string, { id: string; address: string }>()
      return {
        refresh(token) {
          const before = replaced.get(token)
          if (before && !inner.byId(before.id)) return rotated(inner.start(before.address))
          const result = inner.refresh(token)
          if (result.outcome !== 'rotated' || before) return result
          const { address, accessToken } = result.grant
          replaced.set(token, { id: inner.byAccessToken(accessToken)?.id ?? '', address })
          return result
        },
      }
    }),
  },
  'auth-verify-keeps-session': {
    breaks: 'verify sets no cookies if the request has those of a session, also of another wallet',
    rules: ['api-token.list.own-only'],
    deviates: rest('POST /auth/verify', { when: by('session'), reply: header('set-cookie', undefined) }),
  },
} as const satisfies DeviationTable

function isOlderThanAccess({ request: { credential }, auth, clock }: DeviationRequest): boolean {
  const session = typeof credential === 'string' ? undefined : auth.sessions.byId(credential.id)
  return session !== undefined && clock.nowMs() - session.createdAtMs > 15 * MINUTE_MS
}

type Inner = Auth['sessions']

/** Access tokens with a lifetime other than 15 minutes, from creation or from their last use. */
function kept(
  inner: Inner,
  options: { clock: AuthTools['clock']; lastMs: number; slides: boolean },
): Partial<Inner> {
  const { clock, lastMs, slides } = options
  const known = new Map<string, { id: string; atMs: number }>()
  return {
    byAccessToken(token) {
      const session = inner.byAccessToken(token)
      const before = known.get(token)
      const nowMs = clock.nowMs()
      if (session && (!before || slides)) known.set(token, { id: session.id, atMs: nowMs })
      if (session || !before || nowMs - before.atMs >= lastMs) return session
      if (slides) before.atMs = nowMs
      return inner.byId(before.id)
    },
  }
}

/** Records each grant of a sign-in or refresh. */
export function granting(
  { start, refresh }: Inner,
  note: (grant: Grant) => void,
): Pick<Inner, 'start' | 'refresh'> {
  return {
    start(address) {
      const grant = start(address)
      note(grant)
      return grant
    },
    refresh(token) {
      const result = refresh(token)
      if (result.outcome === 'rotated') note(result.grant)
      return result
    },
  }
}

export function rotated(grant: Grant): RefreshResult {
  return { outcome: 'rotated', grant }
}

/** Overrides each refresh after the first with one token; undefined: as usual. */
export function racing(
  inner: Inner,
  meet: (count: number, session: { address: string; id: string }) => RefreshResult | undefined,
): Partial<Inner> {
  const counts = new Map<string, number>()
  const sessionByToken = new Map<string, { address: string; id: string }>()
  return {
    refresh(token): RefreshResult {
      const result = inner.refresh(token)
      const count = (counts.get(token) ?? 0) + 1
      counts.set(token, count)
      if (result.outcome === 'rotated' && count === 1) {
        const { address, accessToken } = result.grant
        sessionByToken.set(token, { address, id: inner.byAccessToken(accessToken)?.id ?? '' })
      }
      const session = sessionByToken.get(token)
      const isLater = count > 1 && session && result.outcome !== 'refused'
      return (isLater && meet(count, session)) || result
    },
  }
}
