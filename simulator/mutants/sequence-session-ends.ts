/** Lists and ends of sessions that go wrong only after other steps. */
import { during } from './end-symptoms.ts'
import { countingRefreshes } from './sequence-refresh.ts'
import { callerOf, countUp, isSuccess, remembering, type SequenceTable } from './sequence-table.ts'
import { sessions } from './session-symptoms.ts'

const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT = 'POST /auth/logout'

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
