import { by } from './conditions.ts'
import type { Deviation, DeviationTable } from './deviation.ts'
import { cookies, edit, editAt, error, rest, setAt, success } from './reactions.ts'

const CHALLENGE = 'POST /auth/challenge'
const VERIFY = 'POST /auth/verify'
const SWAPS = 'GET /swaps'
const empty = success(() => ({ data: [], pagination: { total: 0, limit: 1, offset: 0 } }))

export const AUTH_SYMPTOMS = {
  'auth-challenge-nonce-number': {
    breaks: 'the nonce of a challenge is a JSON number',
    rules: ['auth.challenge.shape'],
    deviates: rest(CHALLENGE, { reply: editAt('data', (data) => Object.assign(data, { nonce: 7 })) }),
  },
  'auth-challenge-nonce-null': {
    breaks: 'the nonce of a challenge is null',
    rules: ['auth.challenge.shape'],
    deviates: rest(CHALLENGE, { reply: editAt('data', (data) => Object.assign(data, { nonce: null })) }),
  },
  'auth-verify-without-address': {
    breaks: 'verify does not return the address',
    rules: ['auth.verify.body'],
    deviates: rest(VERIFY, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.verify.address, undefined)),
    }),
  },
  'auth-verify-expiry-past': shiftAccessExpiry('an hour before', -60 * 60_000),
  'auth-access-readable': {
    breaks: 'the access cookie set by verify lacks HttpOnly',
    rules: ['auth.cookies.http-only'],
    deviates: dropHttpOnly(VERIFY, 'access'),
  },
  'auth-refresh-access-readable': {
    breaks: 'the access cookie set by a refresh lacks HttpOnly',
    rules: ['auth.refresh.http-only'],
    deviates: dropHttpOnly('POST /auth/refresh', 'access'),
  },
  'auth-fee-tiers-missing-403': {
    breaks: '/fee-tiers returns 403 without a credential',
    rules: ['auth.credentials.missing-401'],
    deviates: rest('GET /fee-tiers', { of: [401], when: by('missing'), reply: error(403) }),
  },
  'auth-fee-tiers-invalid-500': {
    breaks: '/fee-tiers returns 500 to an invalid credential',
    rules: ['auth.credentials.invalid-401'],
    deviates: rest('GET /fee-tiers', { of: [401], when: by('invalid'), reply: error(500) }),
  },
  'auth-swaps-missing-empty': {
    breaks: '/swaps returns an empty page without a credential',
    rules: ['auth.credentials.missing-401'],
    deviates: rest(SWAPS, { of: [401], when: by('missing'), reply: empty }),
  },
  'auth-api-tokens-missing-403': {
    breaks: '/api-tokens returns 403 without a credential',
    rules: ['auth.credentials.session-401'],
    deviates: rest('GET /api-tokens', { of: [401], when: by('missing'), reply: error(403) }),
  },
  'auth-sessions-missing-empty': {
    breaks: '/auth/sessions returns 200 without a credential',
    rules: ['auth.credentials.session-401'],
    deviates: rest('GET /auth/sessions', { of: [401], when: by('missing'), reply: empty }),
  },
  'auth-positions-missing-empty': {
    breaks: 'positions return an empty page without a credential',
    rules: ['auth.credentials.portfolio-401'],
    deviates: rest(({ profile }) => `GET ${profile.positionsPath}`, {
      of: [401],
      when: by('missing'),
      reply: empty,
    }),
  },
  'auth-codes-missing-empty': {
    breaks: '/referral/codes returns an empty list, not an inventory, without a credential',
    rules: ['auth.credentials.admin-401', 'admin.codes.record'],
    deviates: rest('GET /referral/codes', { of: [401], when: by('missing'), reply: empty }),
  },
} as const satisfies DeviationTable

/** `ms`: the reported end of the access session, relative to the request. */
function shiftAccessExpiry(when: string, ms: number) {
  return {
    breaks: `verify reports that the access session ends ${when} the sign-in`,
    rules: ['auth.verify.expiry'],
    deviates: rest(VERIFY, {
      reply: edit((body, { choices: { profile, wire }, clock }) =>
        setAt(body, profile.verify.accessExpiresAt, wire.expiry(clock.nowMs() + ms)),
      ),
    }),
  }
}

/** Removes HttpOnly from the cookies of a sign-in or a refresh: from one cookie, or from both by default. */
export function dropHttpOnly(routes: string | readonly string[], which?: 'access' | 'refresh'): Deviation {
  return rest(routes, {
    reply: cookies((cookie, names) =>
      !which || cookie.startsWith(`${names[which]}=`) ? cookie.replace(/; HttpOnly/i, '') : cookie,
    ),
  })
}
