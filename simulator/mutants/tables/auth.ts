import { LIMITS } from '../../../contract/limits.ts'
import type { Credential } from '../../auth/auth.ts'
import { type Attempt, isSignedByWallet } from '../../auth/challenges.ts'
import { all, by, credential, from, only } from '../conditions.ts'
import type { AuthTools, Deviation, DeviationTable } from '../deviation.ts'
import { edit, editAt, error, rest, setAt, statusOnly, success } from '../reactions.ts'
import { dropHttpOnly, signedOver, withoutCsrfToken } from './auth-symptoms.ts'
import { granting, sessions } from './session-symptoms.ts'
import { buildTicket, SYNCHRONIZED, socket } from './socket-symptoms.ts'

const VERIFY = 'POST /auth/verify'
const REFRESH = 'POST /auth/refresh'
const SECOND_MS = 1000
const HOUR_MS = 60 * 60 * SECOND_MS

export const AUTH_MUTANTS = {
  'auth-challenge-without-nonce': {
    breaks: 'a challenge has no nonce',
    rules: ['auth.challenge.shape'],
    deviates: rest('POST /auth/challenge', { reply: editAt('data', (data) => delete data.nonce) }),
  },
  'auth-verify-trims': {
    breaks: 'verify requires a signature over the message with its outer white space trimmed',
    rules: ['auth.verify.signs-in'],
    deviates: signedOver((text) => text.trim()),
  },
  'auth-verify-without-expiry': {
    breaks: 'verify does not return the end of the access session',
    rules: ['auth.verify.body'],
    deviates: rest(VERIFY, {
      reply: edit((body, { choices }) => setAt(body, choices.profile.verify.accessExpiresAt, undefined)),
    }),
  },
  'auth-verify-expiry-hour': {
    breaks: 'verify reports the end of the access session an hour late',
    rules: ['auth.verify.expiry'],
    deviates: rest([VERIFY, REFRESH], {
      reply: edit((body, { clock, choices: { profile, wire } }) => {
        const endsMs = clock.nowMs() + LIMITS.accessSessionSeconds * SECOND_MS
        setAt(body, profile.verify.accessExpiresAt, wire.expiry(endsMs + HOUR_MS))
      }),
    }),
  },
  'auth-verify-any-key': {
    breaks: 'verify accepts the signature of any wallet',
    rules: ['auth.verify.rejects-forged'],
    deviates: {
      isSigned: (attempt) => attempt.keys.some((publicKey) => isSignedByWallet({ ...attempt, publicKey })),
    },
  },
  'auth-verify-unsigned': {
    breaks: 'verify does not check the signature',
    rules: ['auth.verify.rejects-forged', 'auth.verify.rejects-altered', 'auth.verify.rejects-rebuilt'],
    deviates: { isSigned: () => true },
  },
  'auth-verify-takes-trimmed': {
    breaks: 'verify also accepts a signature over the message with its outer white space trimmed',
    rules: ['auth.verify.rejects-rebuilt'],
    deviates: alsoSignedOver((text) => text.trim()),
  },
  'auth-verify-takes-line-feeds': {
    breaks: 'verify also accepts a signature over the message with other line endings',
    rules: ['auth.verify.rejects-rebuilt'],
    deviates: alsoSignedOver((text) => text.replaceAll('\r\n', '\n')),
  },
  'auth-verify-takes-composed': {
    breaks: 'verify also accepts a signature over the message in another Unicode form',
    rules: ['auth.verify.rejects-rebuilt'],
    deviates: alsoSignedOver((text) => text.normalize('NFC')),
  },
  'auth-verify-takes-collapsed': {
    breaks: 'verify also accepts a signature over the message with its white space collapsed',
    rules: ['auth.verify.rejects-rebuilt'],
    deviates: alsoSignedOver((text) => text.replace(/\s+/g, ' ')),
  },
  'auth-verify-takes-nonce': {
    breaks: 'verify also accepts a signature over the nonce alone',
    rules: ['auth.verify.rejects-rebuilt'],
    deviates: alsoSignedOver((text) => /^(?:Nonce: {2}|\t)([\w-]{43})/m.exec(text)?.[1] ?? text),
  },
  'auth-cookies-readable': {
    breaks: 'cookies lack HttpOnly',
    rules: ['auth.cookies.http-only', 'auth.refresh.http-only'],
    deviates: dropHttpOnly([VERIFY, REFRESH]),
  },
  'auth-csrf-ignored': {
    breaks: 'the CSRF header is not checked',
    rules: ['api-token.create.needs-csrf'],
    deviates: { rest: [{ needs: { csrf: false } }] },
  },
  'auth-csrf-refused': {
    breaks: 'logout-all rejects the CSRF token that other routes accept',
    rules: ['auth.csrf.required', 'auth.logout-all.every-session'],
    deviates: rest('POST /auth/logout-all', { request: withoutCsrfToken }),
  },
  'auth-missing-403': {
    breaks: '/access/status returns 403 without credentials',
    rules: ['auth.credentials.missing-401'],
    deviates: missing403('GET /access/status'),
  },
  'auth-session-missing-403': {
    breaks: '/auth/sessions returns 403 without credentials',
    rules: ['auth.credentials.session-401'],
    deviates: missing403('GET /auth/sessions'),
  },
  'auth-admin-missing-403': {
    breaks: '/referral/codes returns 403 without credentials',
    rules: ['auth.credentials.admin-401'],
    deviates: missing403('GET /referral/codes'),
  },
  'auth-portfolio-missing-403': {
    breaks: 'positions and balances return 403 without credentials',
    rules: ['auth.credentials.portfolio-401'],
    deviates: missing403(({ profile }) => [`GET ${profile.positionsPath}`, `GET ${profile.balancesPath}`]),
  },
  'auth-invalid-403': {
    breaks: '/swaps returns 403 to an invalid API token',
    rules: ['auth.credentials.invalid-401', 'api-token.revoke.ends', 'api-token.life.expires'],
    deviates: rest('GET /swaps', {
      of: [401],
      when: only(({ request }) => request.headers.authorization !== undefined),
      reply: statusOnly(403),
    }),
  },
  'auth-session-end-unread': {
    breaks: 'the last 8 characters of an access token are not checked',
    rules: ['auth.credentials.invalid-401'],
    deviates: sessions((inner) => {
      const readPart = (token: string) => token.slice(0, -8)
      const known = new Map<string, string>()
      return {
        ...granting(inner, ({ accessToken }) => known.set(readPart(accessToken), accessToken)),
        byAccessToken: (token) => inner.byAccessToken(known.get(readPart(token)) ?? token),
      }
    }),
  },
  'auth-access-for-all': {
    breaks: 'wallets without access are served',
    rules: ['auth.access.denied-403'],
    deviates: { auth: () => ({ hasAccess: () => true }) },
  },
  'auth-session-30-min': {
    breaks: 'the access session lasts 30 minutes',
    rules: ['auth.session.expires-15-min', 'auth.verify.expiry'],
    deviates: { limits: { accessSessionSeconds: 30 * 60 } },
  },
  'auth-session-10-min': {
    breaks: 'the access session lasts 10 minutes',
    rules: [
      'auth.session.lives-15-min',
      'auth.verify.expiry',
      'auth.verify.signs-in',
      'auth.refresh.sets-access',
    ],
    deviates: { limits: { accessSessionSeconds: 10 * 60 } },
  },
} as const satisfies DeviationTable

/** Accepts signatures over the changed message as well as over the original. */
function alsoSignedOver(change: (text: string) => string): Deviation {
  const { isSigned } = signedOver(change)
  return { isSigned: (attempt: Attempt) => isSignedByWallet(attempt) || isSigned(attempt) }
}

function missing403(routes: Parameters<typeof rest>[0]): Deviation {
  return rest(routes, { of: [401], when: by('missing'), reply: statusOnly(403) })
}

const TICKET = 'GET /auth/ws-ticket'

export const CREDENTIAL_SYMPTOMS = {
  'ws-ticket-missing-200': {
    breaks: '/auth/ws-ticket returns 200 without a credential, but no ticket',
    rules: ['ws.ticket.needs-credentials'],
    deviates: rest(TICKET, { of: [401], when: by('missing'), reply: success(() => ({ data: {} })) }),
  },
  'ws-ticket-by-session-once': {
    breaks: 'a session gets one ticket, then 403',
    rules: ['ws.ticket.by-session'],
    deviates: rest(TICKET, { when: all(by('session'), from(2, credential)), reply: error(403) }),
  },
  'ws-ticket-by-session-unserved': {
    breaks: 'a socket with the ticket of a session receives no synchronized',
    rules: ['ws.ticket.by-session'],
    deviates: unserved('session'),
  },
  'ws-ticket-by-api-token-once': {
    breaks: 'an API token gets one ticket, then 403',
    rules: ['ws.ticket.by-api-token'],
    deviates: rest(TICKET, { when: all(by('api-token'), from(2, credential)), reply: error(403) }),
  },
  'ws-ticket-by-api-token-404': {
    breaks: '/auth/ws-ticket returns 404 to an API token',
    rules: ['ws.ticket.by-api-token', 'api-token.bearer.ticket'],
    deviates: rest(TICKET, { when: by('api-token'), reply: error(404) }),
  },
  'ws-ticket-old-unserved': {
    breaks: 'a socket whose ticket is more than 40 seconds old receives no synchronized',
    rules: ['ws.ticket.lives-60s'],
    deviates: socket((own) => {
      let isOld = false
      return {
        ticket(ticket) {
          if (ticket && own.address === null) isOld = own.clock.nowMs() - ticket.issuedAtMs > 40 * SECOND_MS
          return ticket
        },
        frame: ({ action }) => (isOld && action === 'synchronize' ? 'drop' : undefined),
      }
    }),
  },
  'ws-renewal-10-s': {
    breaks: 'a renewal extends the connection by only ten seconds',
    rules: ['ws.ticket.renewal'],
    deviates: socket((own) => ({
      ticket: (ticket) =>
        ticket && own.address !== null
          ? { ...ticket, expiresAtMs: own.clock.nowMs() + 10 * SECOND_MS }
          : ticket,
    })),
  },
  'ws-late-authenticate-unserved': {
    breaks: 'a socket that authenticates more than three seconds after opening receives no synchronized',
    rules: ['ws.auth.within-5s'],
    deviates: socket((own) => {
      let isLate = false
      return {
        frame({ action }) {
          if (action === 'authenticate' && own.address === null)
            isLate = own.clock.nowMs() - own.openedAtMs > 3 * SECOND_MS
          return isLate && action === 'synchronize' ? 'drop' : undefined
        },
      }
    }),
  },
  'ws-api-token-synchronizes': {
    breaks: 'a socket whose authenticate frame has an API token receives synchronized and nothing else',
    rules: ['ws.auth.rejects-api-token'],
    deviates: socket(() => {
      let pretends = false
      return {
        frame({ action, token = '' }) {
          if (action === 'authenticate' && token.startsWith('ss_')) pretends = true
          if (!pretends) return undefined
          return action === 'synchronize' ? SYNCHRONIZED : 'drop'
        },
      }
    }),
  },
  'ws-session-token-later': {
    breaks: 'the authenticate frame accepts an access token from the second attempt on',
    rules: ['ws.auth.rejects-session-token'],
    deviates: {
      auth: ({ redeemTicket, sessions }, { clock }) => {
        const tried = new Set<string>()
        return {
          redeemTicket(token, isKnown) {
            const address = sessions.byAccessToken(token)?.address
            if (address === undefined || !tried.has(token)) {
              tried.add(token)
              return redeemTicket(token, isKnown)
            }
            return buildTicket(address, clock, 60 * SECOND_MS)
          },
        }
      },
    },
  },
} as const satisfies DeviationTable

/** Tickets whose sockets are not served, keyed by the clock of the stub. */
const unservedTickets = new WeakMap<AuthTools['clock'], Set<string>>()

/** Never sends synchronized to sockets whose ticket was issued to this kind of credential. */
function unserved(kind: Credential['kind']): Deviation {
  return {
    auth: ({ issueTicket }, { clock }) => {
      const tickets = new Set<string>()
      unservedTickets.set(clock, tickets)
      return {
        issueTicket(credential) {
          const made = issueTicket(credential)
          if (credential.kind === kind) tickets.add(made.ticket)
          return made
        },
      }
    },
    socket: ({ clock }) => {
      let isUnserved = false
      return {
        ticket(ticket, token) {
          isUnserved ||= unservedTickets.get(clock)?.has(token) ?? false
          return ticket
        },
        frame: ({ action }) => (isUnserved && action === 'synchronize' ? 'drop' : undefined),
      }
    },
  }
}
