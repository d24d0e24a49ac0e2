/** Other ways to break the end of sessions. */
import type { Auth, Credential } from '../auth/auth.ts'
import { by } from './conditions.ts'
import type { AuthTools, Condition, Deviation, RestDeviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'

const LOGOUT = 'POST /auth/logout'
const LOGOUT_ALL = 'POST /auth/logout-all'
type Sessions = Auth['sessions']
type Change = (
  sessions: Sessions,
  tools: AuthTools & { marked: () => string | undefined },
) => Partial<Sessions>

/** By the clock of a stub: the session whose request is under way, if it is one of the routes of a deviation. */
const underWay = new WeakMap<AuthTools['clock'], string>()

/** What is different of the sessions while a request of a session to that route is served. */
export function during(route: string, change: Change, when: Condition = by('session')): Deviation {
  const mark: RestDeviation = {
    routes: () => [route],
    when,
    ask: ({ clock, request }) => void underWay.set(clock, (request.credential as Credential).id), // as: a session's
  }
  const auth = (inner: Auth, tools: AuthTools) => ({
    sessions: {
      ...inner.sessions,
      ...change(inner.sessions, { ...tools, marked: () => underWay.get(tools.clock) }),
    },
  })
  const unmark: RestDeviation = {
    routes: () => [route],
    of: [200, 400, 401, 403, 404],
    reply: ({ clock }) => void underWay.delete(clock),
  }
  return { rest: [mark, unmark], auth }
}

export const END_SYMPTOMS = {
  'auth-logout-nothing': {
    breaks: 'a session that was logged out goes on',
    rules: ['auth.logout.current-only', 'auth.logout.ends-refresh'],
    deviates: during(LOGOUT, ({ end }, { marked }) => ({
      end: (id) => {
        if (marked() === undefined) end(id)
      },
    })),
  },
  'auth-logout-all-keeps-current': {
    breaks: 'logout-all ends all sessions of the wallet but the current one',
    rules: ['auth.logout-all.every-session'],
    deviates: during(LOGOUT_ALL, ({ end, list }, { marked }) => ({
      endAll: (address) =>
        endEach(
          list(address).filter(({ id }) => id !== marked()),
          end,
        ),
    })),
  },
  'auth-logout-all-keeps-oldest': {
    breaks: 'logout-all leaves out the oldest of the other sessions',
    rules: ['auth.logout-all.every-session', 'auth.logout-all.ends-refresh'],
    deviates: during(LOGOUT_ALL, ({ end, list }, { marked }) => ({
      endAll: (address) => {
        const others = list(address).filter(({ id }) => id !== marked())
        return endEach(
          list(address).filter(({ id }) => id !== others[0]?.id),
          end,
        )
      },
    })),
  },
} as const satisfies DeviationTable

function endEach(sessions: readonly { id: string }[], end: (id: string) => void): number {
  for (const { id } of sessions) end(id)
  return sessions.length
}
