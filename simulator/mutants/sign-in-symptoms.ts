/** Other ways to break sign-in, and what each request has to come with. */
import { createPublicKey, verify } from 'node:crypto'
import type { Choices } from '../choices/choices.ts'
import { by, from, only } from '../deviations/conditions.ts'
import type { Asked, Deviation } from '../deviations/deviation.ts'
import { cookies, edit, error, header, rest, statusOnly, success } from '../deviations/reactions.ts'
import { valueAt } from '../examples/demo-client.ts'
import type { DeviationTable } from './mutant-table.ts'
import { dead, setSession } from './refresh-symptoms.ts'
import { sessions } from './session-symptoms.ts'
import { setAt } from './set-at.ts'

const VERIFY = 'POST /auth/verify'
const REFRESH = 'POST /auth/refresh'
const REFUSED = [400, 401, 403]
const UNSIGNED = ['auth.verify.rejects-forged', 'auth.verify.rejects-altered', 'auth.verify.rejects-rebuilt']

export const SIGN_IN_SYMPTOMS = {
  'auth-verify-normalizes': {
    breaks: 'verify wants the signature over the message in another Unicode form',
    rules: ['auth.verify.signs-in'],
    deviates: signedOver((message) => message.normalize('NFC')),
  },
  'auth-verify-access-dead': {
    breaks: 'the access token that verify sets for a wallet with access is not valid',
    rules: ['auth.verify.signs-in', 'auth.session.lives-15-min'],
    deviates: sessions(({ start }, { auth }) => ({
      start: (address) => (auth.hasAccess(address) ? dead(start(address)) : start(address)),
    })),
  },
  'auth-verify-refusal-session': {
    breaks: 'verify refuses a signature, and sets the cookies of a session of the wallet',
    rules: UNSIGNED,
    deviates: rest(VERIFY, {
      of: REFUSED,
      when: only((asked) => isSignature(asked) && asked.auth.hasAccess(addressOf(asked))),
      reply: (answer) =>
        setSession(answer.reply, answer.auth.sessions.start(addressOf(answer)), answer.choices) as undefined,
    }),
  },
  'auth-verify-refusal-access': {
    breaks: 'verify refuses a signature, and sets an access cookie of the wallet all the same',
    rules: UNSIGNED,
    deviates: rest(VERIFY, {
      of: [400, 401],
      when: only(isSignature),
      reply: ({ reply, auth, choices, ...asked }) => {
        const { accessToken } = auth.sessions.start(addressOf({ ...asked, auth, choices }))
        reply.removeHeader('set-cookie')
        reply.header('set-cookie', `${choices.profile.cookies.access}=${accessToken}; Path=/; HttpOnly`)
      },
    }),
  },
  'auth-verify-address-null': {
    breaks: 'verify answers null as the address',
    rules: ['auth.verify.body'],
    deviates: rest(VERIFY, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.verify.address, null)),
    }),
  },
  'auth-verify-refresh-readable': {
    breaks: 'the refresh cookie of verify lacks HttpOnly',
    rules: ['auth.cookies.http-only'],
    deviates: rest(VERIFY, { reply: readable('refresh') }),
  },
  'auth-csrf-refused-by-logout': {
    breaks: 'logout refuses the CSRF token that other routes take',
    rules: ['auth.csrf.required', 'auth.logout.current-only'],
    deviates: rest('POST /auth/logout', { ask: withoutCsrfToken }),
  },
  'auth-csrf-refused-by-revoke': {
    breaks: 'the revocation of a session refuses the CSRF token that other routes take',
    rules: ['auth.csrf.required', 'auth.sessions.revoke'],
    deviates: rest('POST /auth/sessions/:session_id/revoke', { ask: withoutCsrfToken }),
  },
  'auth-codes-missing-400': {
    breaks: '/referral/codes answers 400 without a credential',
    rules: ['auth.credentials.admin-401'],
    deviates: rest('GET /referral/codes', { of: [401], when: by('missing'), reply: error(400) }),
  },
  'auth-balances-missing-served': {
    breaks: 'balances answer an empty list without a credential',
    rules: ['auth.credentials.portfolio-401'],
    deviates: rest(({ profile }) => `GET ${profile.balancesPath}`, {
      of: [401],
      when: by('missing'),
      reply: success(() => ({ data: [], pagination: { total: 0, limit: 1, offset: 0 } })),
    }),
  },
  'auth-csrf-token-in-link': {
    breaks: 'a new API token comes with a Link whose address holds the CSRF token',
    rules: ['auth.secrets.not-in-urls'],
    deviates: rest('POST /api-tokens', {
      reply: header(
        'link',
        ({ request }) => `</api-tokens?csrf=${request.headers['x-csrf-token']}>; rel=self`,
      ),
    }),
  },
  'auth-verify-refusal-200': {
    breaks: 'verify answers 200 to a signature that it refuses, with the body of the refusal',
    rules: UNSIGNED,
    deviates: rest(VERIFY, { of: [400, 401], when: only(isSignature), reply: statusOnly(200) }),
  },
  'auth-verify-refusal-500': {
    breaks: 'verify answers 500 to a signature that it refuses',
    rules: UNSIGNED,
    deviates: rest(VERIFY, { of: [400, 401], when: only(isSignature), reply: error(500) }),
  },
  'auth-verify-unsigned-again': {
    breaks: 'verify does not look at the signature of a wallet that has a session',
    rules: UNSIGNED,
    deviates: {
      auth: ({ challenges, sessions }, { choices, wallets }) => ({
        challenges: {
          ...challenges,
          answer(attempt) {
            const known = wallets.find(({ address }) => encoded(address, choices) === attempt.address)
            const isIn = known !== undefined && sessions.list(known.address).length > 0
            return challenges.answer(attempt) ?? (isIn ? known : undefined)
          },
        },
      }),
    },
  },
  'auth-verify-later-bare': {
    breaks: 'verify does not tell when the access session ends from the second sign-in of a wallet on',
    rules: ['auth.verify.body'],
    deviates: rest(VERIFY, {
      when: from(2, addressOf),
      reply: edit((body, { choices }) => setAt(body, choices.profile.verify.accessExpiresAt, undefined)),
    }),
  },
  'auth-verify-later-readable': {
    breaks: 'the access cookie of verify lacks HttpOnly from the second sign-in of a wallet on',
    rules: ['auth.cookies.http-only'],
    deviates: rest(VERIFY, { when: from(2, addressOf), reply: readable('access') }),
  },
  'auth-csrf-wants-the-first': {
    breaks: 'the revocation of an API token takes the CSRF token only of the first session of a wallet',
    rules: ['auth.csrf.required'],
    deviates: rest('DELETE /api-tokens/:id', {
      when: only(({ request: { credential }, auth }) => {
        if (typeof credential === 'string') return false
        const [first] = auth.sessions.list(credential.address)
        return first?.id !== credential.id
      }),
      ask: withoutCsrfToken,
    }),
  },
  'auth-balances-missing-404': {
    breaks: 'balances answer 404 without a credential',
    rules: ['auth.credentials.portfolio-401'],
    deviates: rest(({ profile }) => `GET ${profile.balancesPath}`, {
      of: [401],
      when: by('missing'),
      reply: error(404),
    }),
  },
  'auth-codes-missing-404': {
    breaks: '/referral/codes answers 404 without a credential',
    rules: ['auth.credentials.admin-401'],
    deviates: rest('GET /referral/codes', { of: [401], when: by('missing'), reply: error(404) }),
  },
  'auth-refresh-replaced-401-session': {
    breaks: 'a refresh token that was replaced is refused, with the cookies of a new session',
    rules: ['auth.refresh.replaced-ends'],
    deviates: rest(REFRESH, {
      of: [200, 401],
      when: isReplaced,
      reply: ({ auth, choices, reply, request }) => {
        const address = ownersOf.get(request) ?? ''
        setSession(reply, auth.sessions.start(address), choices)
      },
    }),
  },
  'auth-refresh-missing-200': {
    breaks: 'refresh answers 200 without a refresh cookie, and sets nothing',
    rules: ['auth.refresh.needs-cookie'],
    deviates: rest(REFRESH, {
      of: REFUSED,
      when: only(({ request, choices }) => request.cookies[choices.profile.cookies.refresh] === undefined),
      reply: success(() => ({ data: {} })),
    }),
  },
} as const satisfies DeviationTable

function encoded(address: string, { wire }: Choices): string {
  return wire.address.encode(address)
}

/** Whose sign-in a request is; as the stub has it inside. */
function addressOf({ request, choices }: Asked): string {
  const { address } = (request.body ?? {}) as { address?: unknown } // as: a JSON object
  return choices.wire.address.decode(String(address)) ?? ''
}

/** Whether a sign-in comes with all that it takes. */
function isSignature({ request }: Asked): boolean {
  const { address, signature } = (request.body ?? {}) as Record<string, unknown> // as: a JSON object
  return typeof address === 'string' && typeof signature === 'string' && signature.length > 60
}

/** Only signatures over the message as it is changed are taken. */
function signedOver(change: (message: string) => string): Deviation {
  return {
    auth: ({ challenges }, { choices, wallets }) => {
      const { encoding } = choices.profile.signature
      const open = new Map<string, string[]>()
      return {
        challenges: {
          ...challenges,
          issue(address) {
            const made = challenges.issue(address)
            open.set(address, [...(open.get(address) ?? []), made.message])
            return made
          },
          answer({ address, signature }) {
            const wallet = wallets.find((one) => encoded(one.address, choices) === address)
            if (!wallet) return undefined
            const key = createPublicKey({ key: wallet.publicKeyJwk, format: 'jwk' })
            const isSigned = (message: string) =>
              verify(
                'sha256',
                Buffer.from(change(message)),
                { key, dsaEncoding: 'ieee-p1363' },
                Buffer.from(signature, encoding),
              )
            return open.get(address)?.some(isSigned) ? wallet : undefined
          },
        },
      }
    },
  }
}

/** By the request that presents a replaced refresh token: the wallet that the token was given to. */
const ownersOf = new WeakMap<object, string>()

/** Refused refreshes with a token that has refreshed before. */
function isReplaced() {
  const owners = new Map<string, string>()
  return ({ request, choices, status, body }: Asked): boolean => {
    const token = request.cookies[choices.profile.cookies.refresh]
    if (token === undefined) return false
    const refreshed = valueAt(body, choices.profile.verify.address)
    if (status === 200 && typeof refreshed === 'string')
      owners.set(token, choices.wire.address.decode(refreshed) ?? '')
    const owner = owners.get(token)
    if (status !== 401 || owner === undefined) return false
    ownersOf.set(request, owner)
    return true
  }
}

function withoutCsrfToken({ request }: Asked): void {
  delete request.headers['x-csrf-token']
}

/** Takes HttpOnly from one of the two cookies. */
function readable(which: 'access' | 'refresh') {
  return cookies((cookie, names) =>
    cookie.startsWith(`${names[which]}=`) ? cookie.replace(/; HttpOnly/i, '') : cookie,
  )
}
