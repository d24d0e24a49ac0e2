import type { Auth, Credential } from '../../auth/auth.ts'
import { valueAt } from '../../demo-client.ts'
import { all, by, credential, from } from '../conditions.ts'
import type { AuthTools, Condition, Deviation, DeviationTable, RestDeviation } from '../deviation.ts'
import { edit, rest } from '../reactions.ts'
import { sessions } from './session-symptoms.ts'

const SESSIONS = 'GET /auth/sessions'
const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT = 'POST /auth/logout'
const LOGOUT_ALL = 'POST /auth/logout-all'
const MINUTE_MS = 60_000

export const SESSION_END_SYMPTOMS = {
  'auth-sessions-empty': {
    breaks: 'the list of sessions is empty',
    rules: ['auth.sessions.list'],
    deviates: rest(SESSIONS, {
      reply: edit((body, { choices }) => {
        const rows = valueAt(body, choices.profile.sessions.list) as unknown[] // as: the stub's list
        rows.length = 0
      }),
    }),
  },
  'auth-sessions-without-newest': {
    breaks: 'the list of sessions omits those of the last two minutes, except the current one',
    rules: ['auth.sessions.list'],
    deviates: sessions(({ list }, { clock }) => ({
      list: (address) => {
        const [first, ...others] = list(address)
        const known = others.filter(({ createdAtMs }) => clock.nowMs() - createdAtMs > 2 * MINUTE_MS)
        return first ? [first, ...known] : []
      },
    })),
  },
  'auth-sessions-lists-all-later': {
    breaks: 'the list of sessions contains those of every wallet from the second request of a session on',
    rules: ['auth.sessions.own-only'],
    deviates: during(
      SESSIONS,
      ({ list }, { marked, wallets }) => ({
        list: (address) => {
          const others = marked() === undefined ? [] : ofOthers({ list, wallets, address })
          return [...list(address), ...others]
        },
      }),
      all(by('session'), from(2, credential)),
    ),
  },
  'auth-sessions-lists-neighbor': {
    breaks: 'the list of sessions also contains the newest session of another wallet',
    rules: ['auth.sessions.own-only'],
    deviates: sessions(({ list }, { wallets }) => ({
      list: (address) => [...list(address), ...ofOthers({ list, wallets, address }).slice(-1)],
    })),
  },
  'auth-sessions-revoke-all': {
    breaks: 'revoking a session ends every session of the wallet',
    rules: ['auth.sessions.revoke'],
    deviates: during(REVOKE, ({ end, endAll, byId }, { marked }) => ({
      end(id) {
        const session = byId(id)
        if (marked() === undefined || !session) end(id)
        else endAll(session.address)
      },
    })),
  },
  'auth-sessions-revoke-current': {
    breaks: 'revoking a session ends the session of the request',
    rules: ['auth.sessions.revoke', 'auth.sessions.revoke-ends-refresh'],
    deviates: during(REVOKE, ({ end }, { marked }) => ({ end: (id) => end(marked() ?? id) })),
  },
  'auth-sessions-revoke-late': {
    breaks: 'a revoked session stays valid for two minutes',
    rules: ['auth.sessions.revoke', 'auth.sessions.revoke-ends-refresh'],
    deviates: during(REVOKE, ({ end }, { marked, clock }) => ({
      end(id) {
        if (marked() === undefined) end(id)
        else clock.after(2 * MINUTE_MS, () => end(id))
      },
    })),
  },
  'auth-sessions-revoke-refresh-late': {
    breaks: 'a revoked session can still refresh for two minutes',
    rules: ['auth.sessions.revoke-ends-refresh', 'auth.sessions.revoke'],
    deviates: during(REVOKE, ({ end, endAccess }, { marked, clock }) => ({
      end(id) {
        if (marked() === undefined) return end(id)
        endAccess(id)
        clock.after(2 * MINUTE_MS, () => end(id))
      },
    })),
  },
  'auth-logout-ends-another': {
    breaks: 'logout also ends the oldest other session of the wallet',
    rules: ['auth.logout.current-only'],
    deviates: during(LOGOUT, ({ end, list, byId }, { marked }) => ({
      end(id) {
        const other = list(byId(id)?.address ?? '').find((session) => session.id !== id)
        if (marked() !== undefined && other) end(other.id)
        end(id)
      },
    })),
  },
  'auth-logout-ends-tickets-of-wallet': {
    breaks: 'logout also ends the unused tickets of the other sessions of the wallet',
    rules: ['auth.logout.current-only'],
    deviates: endingTickets(),
  },
  'auth-logout-refresh-late': {
    breaks: 'a session that was logged out can still refresh for two minutes',
    rules: ['auth.logout.ends-refresh'],
    deviates: during(LOGOUT, ({ end, endAccess }, { marked, clock }) => ({
      end(id) {
        if (marked() === undefined) return end(id)
        endAccess(id)
        clock.after(2 * MINUTE_MS, () => end(id))
      },
    })),
  },
} as const satisfies DeviationTable

export const END_SYMPTOMS = {
  'auth-logout-all-keeps-refresh-of-caller': {
    breaks: 'the session that requests logout-all can still refresh',
    rules: ['auth.logout-all.ends-refresh'],
    deviates: during(LOGOUT_ALL, ({ end, endAccess, list }, { marked }) => ({
      endAll: (address) =>
        endEach(list(address), (id) => {
          const endOne = id === marked() ? endAccess : end
          endOne(id)
        }),
    })),
  },
  'auth-sessions-revoke-own-refresh-late': {
    breaks: 'a session that revokes itself can still refresh for two minutes',
    rules: ['auth.sessions.revoke'],
    deviates: during(REVOKE, ({ end, endAccess }, { marked, clock }) => ({
      end(id) {
        if (marked() !== id) return end(id)
        endAccess(id)
        clock.after(2 * MINUTE_MS, () => end(id))
      },
    })),
  },
  'auth-sessions-revoke-current-too': {
    breaks: 'revoking a session also ends the session of the request',
    rules: ['auth.sessions.revoke'],
    deviates: during(REVOKE, ({ end }, { marked }) => ({
      end(id) {
        end(id)
        end(marked() ?? id)
      },
    })),
  },
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

/** Called with each wallet of which a session was logged out, keyed by the clock of the stub. */
const loggedOut = new WeakMap<AuthTools['clock'], (address: string) => void>()

function endingTickets(): Deviation {
  const kept = during(LOGOUT, ({ end, byId }, { marked, clock }) => ({
    end(id) {
      const address = byId(id)?.address
      if (marked() !== undefined && address !== undefined) loggedOut.get(clock)?.(address)
      end(id)
    },
  }))
  return {
    ...kept,
    auth(inner, tools) {
      const unused = new Map<string, string>()
      const ended = new Set<string>()
      loggedOut.set(tools.clock, (address) => {
        for (const [ticket, owner] of unused) if (owner === address) ended.add(ticket)
      })
      return {
        ...kept.auth?.(inner, tools),
        issueTicket(credential) {
          const made = inner.issueTicket(credential)
          if (credential.kind === 'session') unused.set(made.ticket, credential.address)
          return made
        },
        redeemTicket(ticket, isKnown) {
          unused.delete(ticket)
          return ended.has(ticket) ? undefined : inner.redeemTicket(ticket, isKnown)
        },
      }
    },
  }
}

function endEach(sessions: readonly { id: string }[], end: (id: string) => void): number {
  for (const { id } of sessions) end(id)
  return sessions.length
}

type Listing<Row> = Pick<AuthTools, 'wallets'> & {
  list: (address: string) => readonly Row[]
  address: string
}

/** Rows of all other wallets in a list, oldest first. */
export function ofOthers<Row extends { createdAtMs: number }>({
  list,
  wallets,
  address,
}: Listing<Row>): Row[] {
  return wallets
    .filter((wallet) => wallet.address !== address)
    .flatMap((wallet) => list(wallet.address))
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs)
}

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
