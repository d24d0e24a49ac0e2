import { type Attempt, isSignedByWallet } from '../../auth/challenges.ts'
import { all, by, every, only } from '../conditions.ts'
import type { Deviation, DeviationRequest, DeviationTable } from '../deviation.ts'
import { cookies, edit, editAt, error, header, rest, setAt, success } from '../reactions.ts'
import { setSession } from './refresh-symptoms.ts'

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

const REFUSED = [400, 401, 403]
const UNSIGNED = ['auth.verify.rejects-forged', 'auth.verify.rejects-altered', 'auth.verify.rejects-rebuilt']

export const SIGN_IN_SYMPTOMS = {
  'auth-verify-normalizes': {
    breaks: 'verify requires a signature over the message in another Unicode form',
    rules: ['auth.verify.signs-in'],
    deviates: signedOver((message) => message.normalize('NFC')),
  },
  'auth-verify-500': {
    breaks: 'verify returns 500, whatever the signature',
    rules: ['auth.verify.signs-in'],
    deviates: rest(VERIFY, { of: [200, 201, ...REFUSED], reply: error(500) }),
  },
  'auth-verify-refusal-session': {
    breaks: 'verify rejects a signature but sets the cookies of a session of the wallet',
    rules: UNSIGNED,
    deviates: rest(VERIFY, {
      of: REFUSED,
      when: only((incoming) => isSignature(incoming) && incoming.auth.hasAccess(readAddress(incoming))),
      reply: (response) =>
        setSession(
          response.reply,
          response.auth.sessions.start(readAddress(response)),
          response.choices,
        ) as undefined,
    }),
  },
  'auth-verify-refusal-access': {
    breaks: 'verify rejects a signature but sets an access cookie of the wallet',
    rules: UNSIGNED,
    deviates: rest(VERIFY, {
      of: [400, 401],
      when: only(isSignature),
      reply: ({ reply, auth, choices, ...asked }) => {
        const { accessToken } = auth.sessions.start(readAddress({ ...asked, auth, choices }))
        reply.removeHeader('set-cookie')
        reply.header('set-cookie', `${choices.profile.cookies.access}=${accessToken}; Path=/; HttpOnly`)
      },
    }),
  },
  'auth-verify-address-null': {
    breaks: 'verify returns null as the address',
    rules: ['auth.verify.body'],
    deviates: rest(VERIFY, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.verify.address, null)),
    }),
  },
  'auth-verify-refresh-readable': {
    breaks: 'the refresh cookie of verify lacks HttpOnly',
    rules: ['auth.cookies.http-only'],
    deviates: dropHttpOnly(VERIFY, 'refresh'),
  },
  'auth-csrf-refused-by-logout': {
    breaks: 'logout rejects the CSRF token that other routes accept',
    rules: ['auth.csrf.required', 'auth.logout.current-only'],
    deviates: rest('POST /auth/logout', { request: withoutCsrfToken }),
  },
  'auth-csrf-refused-by-revoke': {
    breaks: 'revoking a session rejects the CSRF token that other routes accept',
    rules: ['auth.csrf.required', 'auth.sessions.revoke'],
    deviates: rest('POST /auth/sessions/:session_id/revoke', { request: withoutCsrfToken }),
  },
  'auth-codes-missing-400': {
    breaks: '/referral/codes returns 400 without a credential',
    rules: ['auth.credentials.admin-401'],
    deviates: rest('GET /referral/codes', { of: [401], when: by('missing'), reply: error(400) }),
  },
  'auth-balances-missing-served': {
    breaks: 'balances return an empty list without a credential',
    rules: ['auth.credentials.portfolio-401'],
    deviates: rest(({ profile }) => `GET ${profile.balancesPath}`, {
      of: [401],
      when: by('missing'),
      reply: success(() => ({ data: [], pagination: { total: 0, limit: 1, offset: 0 } })),
    }),
  },
  'auth-csrf-token-in-link': {
    breaks: 'the creation of an API token returns a Link whose address contains the CSRF token',
    rules: ['auth.secrets.not-in-urls'],
    deviates: rest('POST /api-tokens', {
      reply: header(
        'link',
        ({ request }) => `</api-tokens?csrf=${request.headers['x-csrf-token']}>; rel=self`,
      ),
    }),
  },
  'auth-verify-other-replica': {
    breaks: 'every third request to verify reaches a replica that does not know the challenge',
    rules: ['auth.verify.signs-in'],
    deviates: rest(VERIFY, {
      when: every(3),
      read: (body) => {
        body.signature = String(body.signature).replace(/^./, (first) => (first === '1' ? '2' : '1'))
      },
    }),
  },
  'auth-ended-cookies-rejected': {
    breaks: 'cookies of a session that has ended get 401 from every route, also when the wallet signs in',
    rules: ['access.public.pools', 'access.public.tokens', 'auth.verify.signs-in'],
    deviates: rest(['GET /pools', 'GET /tokens', CHALLENGE, VERIFY], {
      when: all(
        by('invalid'),
        only(({ request, choices }) => request.cookies[choices.profile.cookies.access] !== undefined),
      ),
      reply: error(401),
    }),
  },
  'auth-access-set-again-readable': {
    breaks: '/swaps sets the access cookie of the request again, without HttpOnly',
    rules: ['auth.cookies.http-only'],
    deviates: rest('GET /swaps', {
      when: by('session'),
      reply: header('set-cookie', ({ request, choices }) => {
        const name = choices.profile.cookies.access
        return `${name}=${request.cookies[name]}; Path=/`
      }),
    }),
  },
  'auth-access-cookie-expires-1970': {
    breaks:
      'the access cookie has an Expires in 1970, since seconds were taken for milliseconds, and no Max-Age',
    rules: ['auth.verify.signs-in', 'auth.refresh.sets-access'],
    deviates: rest([VERIFY, 'POST /auth/refresh'], {
      reply: cookies((cookie, { access }) =>
        cookie.startsWith(`${access}=`)
          ? `${cookie.replace(/;\s*Max-Age=[^;]*/i, '')}; Expires=Wed, 21 Jan 1970 06:06:40 GMT`
          : cookie,
      ),
    }),
  },
  'auth-wrong-signature-ends-sessions': {
    breaks: 'a wrong signature ends every session of its wallet',
    rules: ['auth.verify.rejects-forged'],
    deviates: {
      auth: ({ challenges, sessions }, { choices }) => ({
        challenges: {
          ...challenges,
          answer(attempt) {
            const wallet = challenges.answer(attempt)
            if (wallet === undefined) sessions.endAll(choices.wire.address.decode(attempt.address) ?? '')
            return wallet
          },
        },
      }),
    },
  },
} as const satisfies DeviationTable

/** The address of a sign-in request, in the internal form of the stub. */
export function readAddress({ request, choices }: DeviationRequest): string {
  const { address } = (request.body ?? {}) as { address?: unknown } // as: a JSON object
  return choices.wire.address.decode(String(address)) ?? ''
}

/** True for a sign-in with an address and a signature. */
function isSignature({ request }: DeviationRequest): boolean {
  const { address, signature } = (request.body ?? {}) as Record<string, unknown> // as: a JSON object
  return typeof address === 'string' && typeof signature === 'string' && signature.length > 60
}

/** Accepts only signatures over the changed message. */
export function signedOver(change: (message: string) => string) {
  return {
    isSigned: (attempt: Attempt) =>
      isSignedByWallet({ ...attempt, message: Buffer.from(change(String(attempt.message))) }),
  }
}

export function withoutCsrfToken({ request }: DeviationRequest): void {
  delete request.headers['x-csrf-token']
}
