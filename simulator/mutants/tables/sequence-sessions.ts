/** Refreshes, lists and ends of sessions that go wrong only after other steps. */
import type { Auth } from '../../auth/auth.ts'
import { digest } from '../../auth/secret.ts'
import type { Grant, RefreshResult } from '../../auth/sessions.ts'
import { replacedTimes } from './refresh-symptoms.ts'
import { callerOf, countUp, familyOf, isSuccess, remembering, type SequenceTable } from './sequence-table.ts'
import { during } from './session-end-symptoms.ts'
import { racing, rotated, sessions } from './session-symptoms.ts'

const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT = 'POST /auth/logout'

type Sessions = Auth['sessions']

export const SEQUENCE_REFRESH_MUTANTS = {
  'sequence-fifth-refresh-keeps-token': {
    breaks: 'the fifth refresh of a session does not rotate the refresh token',
    states: 'Authentication, 5: refresh rotates the refresh token',
    rules: ['auth.refresh.rotates'],
    deviates: sessions((inner) => {
      const counts = new Map<string, number>()
      const next = new Map<string, string>()
      return {
        refresh(token) {
          const result = inner.refresh(next.get(token) ?? token)
          if (result.outcome !== 'rotated') return result
          next.delete(token)
          if (countUp(counts, familyOf(result.grant)) !== 5) return result
          next.set(token, result.grant.refreshToken)
          return rotated({ ...result.grant, refreshToken: token })
        },
      }
    }),
  },
  'sequence-eighth-refresh-wins': {
    breaks: 'the eighth of concurrent refreshes also wins, if the session was refreshed before',
    states: 'States and transitions: a concurrent second refresh may return 409',
    rules: ['auth.refresh.race-one-winner'],
    deviates: sessions((inner) => {
      const { refreshCount, refresh } = countingRefreshes(inner)
      return racing({ ...inner, refresh }, (count, { id, address }) =>
        count === 8 && refreshCount(id) > 1 ? rotated(inner.start(address)) : undefined,
      )
    }),
  },
  'sequence-token-before-last-refreshes': {
    breaks: 'a refresh token that was replaced three times refreshes again',
    states: 'States and transitions: refresh needs a valid refresh token',
    rules: ['auth.refresh.replaced-ends'],
    deviates: replacedTimes(3),
  },
  'sequence-fourth-race-ends-session': {
    breaks: 'the loser of the fourth refresh race of a session ends the session',
    states: 'Errors, 409: retry the original request after the winner completes',
    rules: ['auth.refresh.race-survives'],
    deviates: sessions((inner) => {
      const races = new Map<string, number>()
      return racing(inner, (count, { id }) => {
        if (count === 2 && countUp(races, id) === 4) inner.end(id)
        return undefined
      })
    }),
  },
  'sequence-csrf-unknown-after-two-refreshes': {
    breaks: 'the CSRF token of a session is rejected once the session was refreshed twice',
    states: 'Authentication endpoints: state-changing requests carry the CSRF token from verify',
    rules: ['auth.csrf.required'],
    deviates: sessions((inner) => {
      const { refreshCount, refresh } = countingRefreshes(inner)
      return {
        refresh,
        byId(id) {
          const session = inner.byId(id)
          return session && refreshCount(id) >= 2
            ? { ...session, csrfDigest: digest(session.csrfDigest) }
            : session
        },
      }
    }),
  },
  'sequence-replaced-token-survives-logout': {
    breaks: 'the refresh token from before the last refresh brings back a session that has ended',
    states: 'States and transitions: logout ends the session',
    rules: ['auth.logout.ends-refresh', 'auth.sessions.revoke-ends-refresh'],
    deviates: sessions((inner) => {
      const replaced = new Map<string, { id: string; address: string }>()
      const ended = new Set<string>()
      return {
        end(id) {
          if (inner.byId(id)) ended.add(id)
          inner.end(id)
        },
        refresh(token): RefreshResult {
          const before = replaced.get(token)
          if (before && ended.delete(before.id)) return rotated(inner.start(before.address))
          const result = inner.refresh(token)
          if (result.outcome === 'rotated' && !before)
            replaced.set(token, { id: sessionId(inner, result.grant), address: result.grant.address })
          return result
        },
      }
    }),
  },
} as const satisfies SequenceTable

export const SEQUENCE_SESSION_END_MUTANTS = {
  'sequence-logout-after-two-refreshes-ignored': {
    breaks: 'logout does not end a session that was refreshed twice',
    states: 'States and transitions: logout ends the session',
    rules: ['auth.logout.current-only', 'auth.logout.ends-refresh'],
    deviates: during(LOGOUT, (inner, { marked }) => {
      const { refreshCount, refresh } = countingRefreshes(inner)
      return {
        refresh,
        end(id) {
          if (marked() === undefined || refreshCount(id) < 2) inner.end(id)
        },
      }
    }),
  },
  'sequence-logout-all-misses-fifth-session': {
    breaks: 'logout-all ends only the four oldest sessions of the wallet',
    states: 'States and transitions: logout-all ends all sessions of the wallet',
    rules: ['auth.logout-all.every-session', 'auth.logout-all.ends-refresh'],
    deviates: sessions(({ list, end }) => ({
      endAll(address) {
        const oldest = list(address).slice(0, 4)
        for (const { id } of oldest) end(id)
        return oldest.length
      },
    })),
  },
  'sequence-logout-of-five-ends-oldest': {
    breaks: 'logout also ends the oldest other session if the wallet has five or more',
    states: 'States and transitions: logout ends only the current session',
    rules: ['auth.logout.current-only'],
    deviates: during(LOGOUT, ({ end, list, byId }, { marked }) => ({
      end(id) {
        const all = list(byId(id)?.address ?? '')
        const other = all.find((session) => session.id !== id)
        if (marked() !== undefined && all.length >= 5 && other) end(other.id)
        end(id)
      },
    })),
  },
  'sequence-second-revoke-ends-caller': {
    breaks: 'revoking a session again, after it has ended, ends the session of the request',
    states: 'States and transitions: revoke ends that session',
    rules: ['auth.sessions.revoke'],
    deviates: remembering(REVOKE, () => {
      const revoked = new Set<unknown>()
      return (incoming) => {
        const { session_id: id } = incoming.request.params as Record<string, string> // as: of this route
        if (isSuccess(incoming)) revoked.add(id)
        else if (incoming.status === 404 && revoked.has(id))
          return () => void incoming.auth.sessions.end(callerOf(incoming).id)
        return undefined
      }
    }),
  },
  'sequence-session-unlisted-after-two-refreshes': {
    breaks: 'the list of sessions omits sessions that were refreshed twice',
    states: 'Authentication endpoints: GET /auth/sessions lists the sessions of the wallet',
    rules: ['auth.sessions.list'],
    deviates: sessions((inner) => {
      const { refreshCount, refresh } = countingRefreshes(inner)
      return { refresh, list: (address) => inner.list(address).filter(({ id }) => refreshCount(id) < 2) }
    }),
  },
  'sequence-revoke-of-refreshed-ignored': {
    breaks: 'revoke does not end a session that was refreshed since its wallet last listed its sessions',
    states: 'States and transitions: revoke ends that session',
    rules: ['auth.sessions.revoke', 'auth.sessions.revoke-ends-refresh'],
    deviates: during(REVOKE, (inner, { marked }) => {
      const { refreshCount, refresh } = countingRefreshes(inner)
      const listed = new Map<string, number>()
      return {
        refresh,
        list(address) {
          const rows = inner.list(address)
          for (const { id } of rows) listed.set(id, refreshCount(id))
          return rows
        },
        end(id) {
          if (marked() === undefined || refreshCount(id) === (listed.get(id) ?? 0)) inner.end(id)
        },
      }
    }),
  },
  'sequence-sign-in-dead-after-third-logout-all': {
    breaks: 'the first session that a wallet starts after its third logout-all is invalid',
    states: 'States and transitions: verify starts a session',
    rules: ['auth.verify.signs-in'],
    deviates: sessions(({ start, endAll }) => {
      const counts = new Map<string, number>()
      return {
        endAll(address) {
          countUp(counts, address)
          return endAll(address)
        },
        start(address) {
          const grant = start(address)
          if (counts.get(address) !== 3) return grant
          countUp(counts, address)
          return { ...grant, accessToken: `${grant.accessToken}0` }
        },
      }
    }),
  },
  'sequence-own-revoke-keeps-refresh': {
    breaks: 'a session that revokes itself can still refresh',
    states: 'States and transitions: revoke ends that session',
    rules: ['auth.sessions.revoke-ends-refresh'],
    deviates: during(REVOKE, ({ end, endAccess }, { marked }) => ({
      end(id) {
        if (marked() === id) endAccess(id)
        else end(id)
      },
    })),
  },
} as const satisfies SequenceTable

function sessionId({ byAccessToken }: Pick<Sessions, 'byAccessToken'>, { accessToken }: Grant): string {
  return byAccessToken(accessToken)?.id ?? ''
}

/** Counts the successful refreshes of each session. */
export function countingRefreshes(inner: Sessions): Pick<Sessions, 'refresh'> & {
  refreshCount: (id: string) => number
} {
  const counts = new Map<string, number>()
  return {
    refreshCount: (id) => counts.get(id) ?? 0,
    refresh(token) {
      const result = inner.refresh(token)
      if (result.outcome === 'rotated') countUp(counts, sessionId(inner, result.grant))
      return result
    },
  }
}
