import type { FastifyReply } from 'fastify'
import type { Auth } from '../../auth/auth.ts'
import type { Grant, RefreshResult } from '../../auth/sessions.ts'
import type { Choices } from '../../choices/choices.ts'
import type { Deviation, DeviationResponse, DeviationTable } from '../deviation.ts'
import { cookies, rest } from '../reactions.ts'
import { countUp, familyOf } from './sequence-table.ts'
import { granting, sessions } from './session-symptoms.ts'

const REFRESH = 'POST /auth/refresh'
const MINUTE_MS = 60_000
/** Rules that show an invalid access token after a refresh. */
const REVIVED = [
  'auth.refresh.sets-access',
  'auth.refresh.revives',
  'auth.refresh.race-survives',
  'auth.refresh.race-of-50',
]
const refused: RefreshResult = { outcome: 'refused' }

export const REFRESH_SYMPTOMS = {
  'auth-session-idle-5-min': {
    breaks: 'an access session ends after five minutes without use',
    rules: ['auth.session.lives-15-min'],
    deviates: sessions((inner, { clock }) => {
      const usedMs = new Map<string, number>()
      return {
        ...granting(inner, ({ accessToken }) => usedMs.set(accessToken, clock.nowMs())),
        byAccessToken(token) {
          const nowMs = clock.nowMs()
          if (nowMs - (usedMs.get(token) ?? nowMs) > 5 * MINUTE_MS) return undefined
          usedMs.set(token, nowMs)
          return inner.byAccessToken(token)
        },
      }
    }),
  },
  'auth-refresh-expired-401': {
    breaks: 'refresh returns 401 after the access session has expired',
    rules: ['auth.refresh.revives'],
    deviates: expired(() => refused),
  },
  'auth-refresh-expired-409': {
    breaks: 'refresh returns 409 after the access session has expired, at every attempt',
    rules: ['auth.refresh.revives'],
    deviates: expired(() => ({ outcome: 'raced' })),
  },
  'auth-refresh-expired-dead': {
    breaks: 'the access token that a refresh sets after the access session has expired is invalid',
    rules: ['auth.refresh.revives'],
    deviates: expired((inner, token) => {
      const result = inner.refresh(token)
      return result.outcome === 'rotated' ? { ...result, grant: dead(result.grant) } : result
    }),
  },
  'auth-refresh-kept-in-time': {
    breaks: 'refresh keeps the refresh token while the access session has not expired',
    rules: ['auth.refresh.rotates'],
    deviates: unrotated(({ isExpired }) => !isExpired),
  },
  'auth-refresh-cookie-unset': {
    breaks: 'refresh sets no refresh cookie and accepts the previous one again',
    rules: ['auth.refresh.rotates'],
    deviates: { ...unrotated(() => true), ...rest(REFRESH, { reply: without('refresh') }) },
  },
  'auth-refresh-replaced-starts': {
    breaks: 'a replaced refresh token starts a session of its own after the grace period',
    rules: ['auth.refresh.replaced-ends'],
    deviates: sessions(({ refresh, start }, { clock, choices }) => {
      const graceMs = choices.profile.refresh.graceSeconds * 1000
      const used = new Map<string, { address: string; atMs: number }>()
      return {
        refresh(token) {
          const result = refresh(token)
          const before = used.get(token)
          const nowMs = clock.nowMs()
          if (result.outcome === 'rotated' && !before)
            used.set(token, { address: result.grant.address, atMs: nowMs })
          if (result.outcome !== 'refused' || !before || nowMs - before.atMs <= graceMs) return result
          return { outcome: 'rotated', grant: start(before.address) }
        },
      }
    }),
  },
  'auth-refresh-replaced-a-minute': {
    breaks: 'a replaced refresh token still refreshes for a minute after the grace period',
    rules: ['auth.refresh.replaced-ends'],
    deviates: replacedFor(MINUTE_MS),
  },
  'auth-refresh-replaced-twice': {
    breaks: 'a refresh token that was replaced twice refreshes again',
    rules: ['auth.refresh.replaced-ends'],
    deviates: replacedTimes(2),
  },
  'auth-refresh-third-500': {
    breaks: 'the third of successive refreshes of a session returns 500',
    rules: ['auth.refresh.rotates'],
    deviates: sessions((inner) => {
      const counts = new Map<string, number>()
      const newest = new Map<string, string>()
      return {
        refresh(token) {
          const family = familyOf({ refreshToken: token })
          if (counts.get(family) === 2 && newest.get(family) === token) throw new Error('third refresh')
          const result = inner.refresh(token)
          if (result.outcome === 'rotated') {
            countUp(counts, family)
            newest.set(family, result.grant.refreshToken)
          }
          // A race is no succession.
          else newest.delete(family)
          return result
        },
      }
    }),
  },
  'auth-refresh-access-dead': {
    breaks: 'the access token that a refresh sets is invalid',
    rules: REVIVED,
    deviates: sessions(({ refresh }) => ({
      refresh(token) {
        const result = refresh(token)
        return result.outcome === 'rotated' ? { ...result, grant: dead(result.grant) } : result
      },
    })),
  },
  'auth-refresh-access-late': {
    breaks: 'the access token that a refresh sets is not valid until a minute later',
    rules: REVIVED,
    deviates: sessions((inner, { clock }) => {
      const setMs = new Map<string, number>()
      const { refresh } = granting(inner, ({ accessToken }) => setMs.set(accessToken, clock.nowMs()))
      return {
        refresh,
        byAccessToken(token) {
          const agoMs = clock.nowMs() - (setMs.get(token) ?? Number.NEGATIVE_INFINITY)
          return agoMs < MINUTE_MS ? undefined : inner.byAccessToken(token)
        },
      }
    }),
  },
  'auth-refresh-newest-session-only': {
    breaks: 'a sign-in of a wallet ends the refresh tokens of its other sessions',
    rules: ['auth.refresh.rotates', 'auth.refresh.revives'],
    deviates: sessions(({ start, refresh }) => {
      const newest = new Map<string, string>()
      const owners = new Map<string, string>()
      return {
        start(address) {
          const grant = start(address)
          newest.set(address, familyOf(grant))
          owners.set(familyOf(grant), address)
          return grant
        },
        refresh(refreshToken) {
          const family = familyOf({ refreshToken })
          const owner = owners.get(family)
          return owner !== undefined && newest.get(owner) !== family ? refused : refresh(refreshToken)
        },
      }
    }),
  },
  'auth-refresh-start-unread': {
    breaks: 'the first 8 characters of a refresh token are not checked',
    rules: ['auth.refresh.needs-cookie'],
    deviates: partlyRead((token) => token.slice(8)),
  },
} as const satisfies DeviationTable

type Sessions = Auth['sessions']

/** Sets the cookies of a session, as verify does. */
export function setSession(
  reply: FastifyReply,
  { accessToken, refreshToken }: Grant,
  { profile }: Choices,
): void {
  reply.removeHeader('set-cookie')
  reply.header('set-cookie', [
    `${profile.cookies.access}=${accessToken}; Path=/; HttpOnly; SameSite=Lax`,
    `${profile.cookies.refresh}=${refreshToken}; Path=/; HttpOnly; SameSite=Lax`,
  ])
}

/** The same grant with an access token that the session does not know. */
function dead(grant: Grant): Grant {
  return { ...grant, accessToken: `${grant.accessToken}0` }
}

export function without(which: 'access' | 'refresh'): (response: DeviationResponse) => undefined {
  const change = cookies((cookie, names) => (cookie.startsWith(`${names[which]}=`) ? undefined : cookie))
  return (response) => void change(response)
}

/** Refresh tokens of which only a part is checked. */
export function partlyRead(read: (token: string) => string): Deviation {
  return sessions((inner) => {
    const known = new Map<string, string>()
    const { start, refresh } = granting(inner, ({ refreshToken }) =>
      known.set(read(refreshToken), refreshToken),
    )
    return { start, refresh: (token) => refresh(known.get(read(token)) ?? token) }
  })
}

/** Replaced refresh tokens that still refresh for `ms` after the grace period. */
export function replacedFor(ms: number): Deviation {
  return sessions(({ refresh }, { clock, choices }) => {
    const graceMs = choices.profile.refresh.graceSeconds * 1000
    const used = new Map<string, { next: string; atMs: number }>()
    const findNewest = (token: string): string => {
      const next = used.get(token)?.next
      return next === undefined || next === token ? token : findNewest(next)
    }
    return {
      refresh(token) {
        const agoMs = clock.nowMs() - (used.get(token)?.atMs ?? clock.nowMs())
        const isLate = agoMs > graceMs && agoMs <= graceMs + ms
        const result = refresh(isLate ? findNewest(token) : token)
        if (result.outcome === 'rotated' && !used.has(token))
          used.set(token, { next: result.grant.refreshToken, atMs: clock.nowMs() })
        return result
      },
    }
  })
}

/** Refresh tokens that refresh again once they were replaced at least `times` times. */
export function replacedTimes(times: number): Deviation {
  return sessions((inner) => {
    const tokens = new Map<string, string[]>()
    return {
      refresh(token) {
        const known = tokens.get(familyOf({ refreshToken: token })) ?? []
        const isOlder = known.includes(token) && known.indexOf(token) < known.length - times
        const result = inner.refresh(isOlder ? (known.at(-1) ?? token) : token)
        if (result.outcome === 'rotated') {
          const { refreshToken } = result.grant
          const all = known.length > 0 ? known : [token]
          // The losers of a race may get the token of the winner, which replaced theirs once.
          if (!all.includes(refreshToken)) tokens.set(familyOf(result.grant), [...all, refreshToken])
        }
        return result
      },
    }
  })
}

/** Overrides refreshes that come after the access session has expired. */
function expired(meet: (inner: Sessions, token: string) => RefreshResult): Deviation {
  return sessions((inner, { clock }) => {
    const endsMs = new Map<string, number>()
    const parseFamily = (refreshToken: string) => familyOf({ refreshToken })
    const refresh = (token: string) => {
      const isExpired = clock.nowMs() >= (endsMs.get(parseFamily(token)) ?? Number.POSITIVE_INFINITY)
      return isExpired ? meet(inner, token) : inner.refresh(token)
    }
    return granting({ ...inner, refresh }, ({ refreshToken, accessExpiresAtMs }) =>
      endsMs.set(parseFamily(refreshToken), accessExpiresAtMs),
    )
  })
}

/** Keeps the refresh token in some refreshes, so that it refreshes again. */
export function unrotated(isKept: (refreshed: { isExpired: boolean }) => boolean): Deviation {
  return sessions(({ start, refresh, byAccessToken }, { clock }) => {
    const newest = new Map<string, string>()
    const endsMs = new Map<string, number>()
    const keep = (grant: Grant) => {
      const id = byAccessToken(grant.accessToken)?.id ?? ''
      const isExpired = clock.nowMs() >= (endsMs.get(id) ?? Number.POSITIVE_INFINITY)
      endsMs.set(id, grant.accessExpiresAtMs)
      return { isExpired }
    }
    return {
      start(address) {
        const grant = start(address)
        keep(grant)
        return grant
      },
      refresh(token) {
        const result = refresh(newest.get(token) ?? token)
        if (result.outcome !== 'rotated' || !isKept(keep(result.grant))) return result
        newest.set(token, result.grant.refreshToken)
        return { ...result, grant: { ...result.grant, refreshToken: token } }
      },
    }
  })
}
