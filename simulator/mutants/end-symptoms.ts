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

/** Session of the current request to a route of a deviation, keyed by the clock of the stub. */
const underWay = new WeakMap<AuthTools['clock'], string>()

/** Overrides parts of the session store during session requests to that route. */
export function during(route: string, change: Change, when: Condition = by('session')): Deviation {
  const mark: RestDeviation = {
    routes: () => [route],
    when,
    request: ({ clock, request }) => void underWay.set(clock, (request.credential as Credential).id), // as: credential of a session
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
    breaks: 'a session that was logged out stays valid',
    rules: ['auth.logout.current-only', 'auth.logout.ends-refresh'],
    deviates: during(LOGOUT, ({ end }, { marked }) => ({
      end: (id) => {
        if (marked() === undefined) end(id)
      },
    })),
  },
  'auth-logout-all-keeps-current': {
    breaks: 'logout-all ends all sessions of the wallet except the current one',
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
    breaks: 'logout-all omits the oldest of the other sessions',
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
