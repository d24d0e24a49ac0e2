import type { RefreshResult } from '../auth/sessions.ts'
import { clearSessionCookies } from '../exchange/access/browsers.ts'
import { dropHttpOnly } from './auth-symptoms.ts'
import { by, only } from './conditions.ts'
import type { Deviation } from './deviation.ts'
import type { DeviationTable } from './mutant-table.ts'
import { rest } from './reactions.ts'
import { partlyRead, replacedFor, unrotated, without } from './refresh-symptoms.ts'
import { granting, racing, rotated, sessions } from './session-symptoms.ts'

const REFRESH = 'POST /auth/refresh'
const RACES = ['auth.refresh.race-survives', 'auth.refresh.race-of-50']
/** Losers of one race that get 409. */
const CROWD = 10

export const REFRESH_MUTANTS = {
  'auth-refresh-needs-access': {
    breaks: 'refresh accepts an access session that has not expired',
    rules: ['auth.refresh.revives'],
    deviates: rest(REFRESH, {
      when: by('missing', 'invalid'),
      request: ({ request }) => {
        request.cookies = {}
      },
    }),
  },
  'auth-refresh-by-access': {
    breaks: 'refresh uses the access cookie if there is no refresh cookie',
    rules: ['auth.refresh.needs-cookie'],
    deviates: rest(REFRESH, {
      when: only(({ request, choices }) => request.cookies[choices.profile.cookies.refresh] === undefined),
      request: ({ request: { credential, cookies }, auth, choices }) => {
        if (typeof credential === 'string') return
        cookies[choices.profile.cookies.refresh] = auth.sessions.start(credential.address).refreshToken
      },
    }),
  },
  'auth-refresh-end-unread': {
    breaks: 'the last 8 characters of a refresh token are not checked',
    rules: ['auth.refresh.needs-cookie'],
    deviates: partlyRead((token) => token.slice(0, -8)),
  },
  'auth-refresh-replaced-lives-on': {
    breaks: 'a replaced refresh token still refreshes, even outside a race',
    rules: ['auth.refresh.replaced-ends'],
    deviates: replacedFor(Number.POSITIVE_INFINITY),
  },
  'auth-refresh-not-rotated': {
    breaks: 'refresh keeps the refresh token',
    rules: ['auth.refresh.rotates'],
    deviates: unrotated(() => true),
  },
  'auth-refresh-keeps-access': {
    breaks: 'refresh sets an access cookie only after the old one has expired',
    rules: ['auth.refresh.sets-access'],
    deviates: { ...accessGoesOn(), ...rest(REFRESH, { when: by('session'), reply: without('access') }) },
  },
  'auth-refresh-readable': {
    breaks: 'cookies set by refresh lack HttpOnly',
    rules: ['auth.refresh.http-only'],
    deviates: dropHttpOnly(REFRESH),
  },
  'auth-refresh-two-winners': {
    breaks: 'concurrent refreshes each get a session of their own',
    rules: ['auth.refresh.race-one-winner', 'auth.refresh.race-of-50'],
    deviates: sessions((inner) => racing(inner, (_count, { address }) => rotated(inner.start(address)))),
  },
  'auth-refresh-loser-clears': {
    breaks: 'the 409 of a lost refresh race clears the cookies',
    rules: RACES,
    deviates: {
      ...sessions((inner) => racing(inner, (): RefreshResult => ({ outcome: 'raced' }))),
      ...rest(REFRESH, {
        of: [409],
        reply: ({ reply, choices }) => void clearSessionCookies(reply, choices),
      }),
    },
  },
  'auth-refresh-loser-is-thief': {
    breaks: 'losing a refresh race counts as theft and ends the session',
    rules: RACES,
    deviates: sessions((inner) =>
      racing(inner, (_count, { id }) => {
        inner.end(id)
        return { outcome: 'refused' }
      }),
    ),
  },
  'auth-refresh-crowd-500': {
    breaks: 'losers of a refresh race get 500 from the 11th on',
    rules: ['auth.refresh.race-of-50'],
    deviates: sessions((inner) =>
      racing(inner, (count) => {
        if (count > 1 + CROWD) throw new Error('too many losers of one race')
        return undefined
      }),
    ),
  },
} as const satisfies DeviationTable

/** Access tokens that survive a refresh, whatever the choices. */
function accessGoesOn(): Deviation {
  return sessions((inner, { clock }) => {
    const given = new Map<string, { id: string; endsMs: number }>()
    return {
      ...granting(inner, ({ accessToken, accessExpiresAtMs }) => {
        const id = inner.byAccessToken(accessToken)?.id ?? ''
        given.set(accessToken, { id, endsMs: accessExpiresAtMs })
      }),
      byAccessToken(token) {
        const { id = '', endsMs = 0 } = given.get(token) ?? {}
        return inner.byAccessToken(token) ?? (clock.nowMs() < endsMs ? inner.byId(id) : undefined)
      },
    }
  })
}
