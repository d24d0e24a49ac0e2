/** Breaks of sign-in and sessions that a client meets only off the usual path, such as after a refresh or a logout. */

import { Refusal } from '../../exchange/errors.ts'
import { by, only } from '../conditions.ts'
import type {
  AuthTools,
  Deviation,
  DeviationRequest,
  DeviationResponse,
  DeviationTable,
} from '../deviation.ts'
import { error, rest } from '../reactions.ts'
import { familyOf } from './sequence-table.ts'
import { granting, sessions } from './session-symptoms.ts'

const REFRESH = 'POST /auth/refresh'
const REVOKE = 'POST /auth/sessions/:session_id/revoke'
const LOGOUT_ALL = 'POST /auth/logout-all'
const SESSIONS = 'GET /auth/sessions'
const TOKENS = 'GET /api-tokens'
const ENDS_REFRESH = [
  'auth.logout.ends-refresh',
  'auth.sessions.revoke-ends-refresh',
  'auth.logout-all.ends-refresh',
]

export const SESSION_SLIP_SYMPTOMS = {
  'auth-refreshed-session-403': {
    breaks: '/swaps returns 403 to a session that was refreshed',
    rules: ['auth.refresh.sets-access'],
    deviates: tracking((grants) =>
      rest('GET /swaps', {
        when: only((incoming) => readGrant(incoming, grants)?.isRefreshed ?? false),
        reply: error(403),
      }),
    ),
  },
  'auth-sessions-revoke-403': {
    breaks: '/swaps returns 403 to a session that was revoked',
    rules: ['auth.sessions.revoke'],
    deviates: refusingEnded(REVOKE, ({ request, choices }) => {
      const { session_id: id } = request.params as { session_id: string } // as: parameters of the route
      const revoked = choices.wire.sessionId.decode(id)
      return (grant) => grant.id === revoked
    }),
  },
  'auth-logout-all-403': {
    breaks: '/swaps returns 403 to a session that logout-all ended',
    rules: ['auth.logout-all.every-session'],
    deviates: refusingEnded(LOGOUT_ALL, ({ request: { credential } }) => {
      const owner = typeof credential === 'string' ? '' : credential.address
      return ({ address }) => address === owner
    }),
  },
  'auth-refresh-refused-409': {
    breaks: 'refresh returns 409 for each refresh token that is missing, unknown or ended',
    rules: ['auth.refresh.needs-cookie'],
    deviates: rest(REFRESH, { of: [401], reply: error(409) }),
  },
  'auth-refresh-ended-500': {
    breaks: 'refresh returns 500 for the refresh token of a session that has ended',
    rules: ENDS_REFRESH,
    deviates: sessions((inner) => {
      const families = new Set<string>()
      const { start, refresh } = granting(inner, (grant) => families.add(familyOf(grant)))
      return {
        start,
        refresh(token) {
          const family = familyOf({ refreshToken: token })
          if (families.has(family) && !inner.hasFamily(family)) throw new Error('no row')
          return refresh(token)
        },
      }
    }),
  },
  'auth-sessions-list-403': {
    breaks: 'the list of sessions requires the CSRF header, which reads do not carry',
    rules: ['auth.sessions.list'],
    deviates: rest(SESSIONS, { when: by('session'), reply: error(403) }),
  },
  'auth-lists-bare': {
    breaks: 'the lists of sessions and of API tokens are not inside `data`',
    rules: ['wire.success.payload-in-data'],
    deviates: rest([SESSIONS, TOKENS], {
      reply: ({ body }) => ({ text: JSON.stringify({ rows: body?.data }) }),
    }),
  },
  'auth-challenge-first-kept': {
    breaks: 'a challenge of a wallet that has an open one is never accepted',
    rules: ['auth.verify.signs-in'],
    deviates: {
      auth: ({ challenges }, { choices, clock }) => {
        const openUntilMs = new Map<string, number>()
        return {
          challenges: {
            ...challenges,
            issue(address) {
              const nowMs = clock.nowMs()
              const isOpen = nowMs < (openUntilMs.get(address) ?? 0)
              if (isOpen) return challenges.issue(`${address} `)
              openUntilMs.set(address, nowMs + choices.challenge.lifetimeSeconds * 1000)
              return challenges.issue(address)
            },
            answer(attempt) {
              const wallet = challenges.answer(attempt)
              if (wallet) openUntilMs.delete(attempt.address)
              return wallet
            },
          },
        }
      },
    },
  },
  'auth-challenge-one-in-all': {
    breaks: 'a challenge replaces the open one of any other wallet',
    rules: ['auth.verify.signs-in'],
    deviates: {
      auth: ({ challenges }) => {
        let latest = ''
        return {
          challenges: {
            ...challenges,
            issue(address) {
              latest = address
              return challenges.issue(address)
            },
            answer: (attempt) => (attempt.address === latest ? challenges.answer(attempt) : undefined),
          },
        }
      },
    },
  },
  'auth-sign-in-second-409': {
    breaks: 'verify returns 409 if the wallet has a session',
    rules: ['auth.sessions.list'],
    deviates: sessions(({ start, list }) => ({
      start(address) {
        if (list(address).length > 0) throw new Refusal('refresh_raced')
        return start(address)
      },
    })),
  },
  'auth-logout-all-blocks-new': {
    breaks: 'a session that begins within 20 seconds after a logout-all of its wallet is invalid',
    rules: ['auth.logout-all.every-session'],
    deviates: sessions(({ endAll, byAccessToken }, { clock }) => {
      const endedMs = new Map<string, number>()
      return {
        endAll(address) {
          endedMs.set(address, clock.nowMs())
          return endAll(address)
        },
        byAccessToken(token) {
          const session = byAccessToken(token)
          const agoMs = session ? session.createdAtMs - (endedMs.get(session.address) ?? 0) : 0
          return agoMs >= 0 && agoMs < 20_000 ? undefined : session
        },
      }
    }),
  },
  'auth-verify-own-challenge': {
    breaks: 'verify accepts the signature of another wallet over a challenge of its own',
    rules: ['auth.verify.rejects-forged'],
    deviates: {
      auth: ({ challenges }, { wallets, choices }) => ({
        challenges: {
          ...challenges,
          answer({ address, signature }) {
            const owner = wallets.find((wallet) => choices.wire.address.encode(wallet.address) === address)
            const isSigned = wallets.some((wallet) =>
              challenges.answer({ address: choices.wire.address.encode(wallet.address), signature }),
            )
            return isSigned ? owner : undefined
          },
        },
      }),
    },
  },
  'auth-verify-access-readable-copy': {
    breaks: 'verify also sets the access token as a cookie that scripts can read',
    rules: ['auth.cookies.http-only'],
    deviates: rest('POST /auth/verify', { reply: copyAccess }),
  },
  'auth-refresh-access-readable-copy': {
    breaks: 'refresh also sets the access token as a cookie that scripts can read',
    rules: ['auth.refresh.http-only'],
    deviates: rest(REFRESH, { reply: copyAccess }),
  },
  'admin-codes-served-after-refresh': {
    breaks: 'a refreshed session of any wallet gets the referral codes',
    rules: ['admin.codes.refused-to-others'],
    deviates: tracking((grants) =>
      rest('GET /referral/codes', {
        when: only((incoming) => readGrant(incoming, grants)?.isRefreshed ?? false),
        needs: { admin: false },
      }),
    ),
  },
} as const satisfies DeviationTable

type Granted = { id: string; address: string; isRefreshed: boolean }
type Tracked = { grants: Map<string, Granted>; ended: Set<Granted> }

/** Access tokens granted so far and those that have ended, keyed by the clock of the stub. */
const tracked = new WeakMap<AuthTools['clock'], Tracked>()

function tracking(change: (find: (clock: AuthTools['clock']) => Tracked) => Deviation): Deviation {
  const find = (clock: AuthTools['clock']) => tracked.get(clock) ?? { grants: new Map(), ended: new Set() }
  const keep = sessions((inner, { clock }) => {
    const known: Tracked = { grants: new Map(), ended: new Set() }
    tracked.set(clock, known)
    return granting(inner, ({ accessToken, address }) => {
      const id = inner.byAccessToken(accessToken)?.id ?? ''
      const isRefreshed = [...known.grants.values()].some((grant) => grant.id === id)
      known.grants.set(accessToken, { id, address, isRefreshed })
    })
  })
  return { ...keep, ...change(find) }
}

function readGrant(
  { request, choices, clock }: DeviationRequest,
  find: (clock: AuthTools['clock']) => Tracked,
): Granted | undefined {
  return find(clock).grants.get(request.cookies[choices.profile.cookies.access] ?? '')
}

/** /swaps returns 403 to sessions that a successful request to `route` has ended. */
function refusingEnded(
  route: string,
  select: (response: DeviationResponse) => (grant: Granted) => boolean,
): Deviation {
  return tracking((find) => {
    const end = rest(route, {
      reply(response) {
        const { grants, ended } = find(response.clock)
        const isEnded = select(response)
        for (const grant of grants.values()) if (isEnded(grant)) ended.add(grant)
        return undefined
      },
    })
    const refuse = rest('GET /swaps', {
      of: [401],
      when: only((incoming) => {
        const grant = readGrant(incoming, find)
        return grant !== undefined && find(incoming.clock).ended.has(grant)
      }),
      reply: error(403),
    })
    return { rest: [...(end.rest ?? []), ...(refuse.rest ?? [])] }
  })
}

function copyAccess({ reply, choices }: DeviationResponse): undefined {
  const set = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  const [access = ''] = set.filter((cookie) => cookie.startsWith(`${choices.profile.cookies.access}=`))
  const value = access.slice(access.indexOf('=') + 1).split(';', 1)[0]
  reply.removeHeader('set-cookie')
  reply.header('set-cookie', [...set, `session_hint=${value}; Path=/`])
}
