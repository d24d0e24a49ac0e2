/** Refreshes that go wrong only after others. */
import type { Auth } from '../auth/auth.ts'
import { digest } from '../auth/secret.ts'
import type { Grant, RefreshResult } from '../auth/sessions.ts'
import { replacedTimes } from './refresh-symptoms.ts'
import { countUp, familyOf, type SequenceTable } from './sequence-table.ts'
import { racing, rotated, sessions } from './session-symptoms.ts'

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
