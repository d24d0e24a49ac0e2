/** Breaks that an independent exchange had and that probes missed: they show only after one more step. */
import { valueAt } from '../demo-client.ts'
import { only } from './conditions.ts'
import type { DeviationTable } from './deviation.ts'
import { edit, error, type Fields, rest, setAt, success } from './reactions.ts'
import { hopsAreMany } from './route-symptoms.ts'
import { claimsForgottenAfter } from './sequence-lists.ts'
import { ofOthers } from './session-end-symptoms.ts'
import { sessions } from './session-symptoms.ts'
import { socket } from './socket-symptoms.ts'
import { buildTicket } from './stranger-symptoms.ts'

const TICKET_MS = 60_000

export const LATER_SYMPTOMS = {
  'auth-sessions-lists-all-of-two': {
    breaks: 'the list of sessions contains those of every wallet if the wallet has two or more',
    rules: ['auth.sessions.own-only'],
    deviates: sessions(({ list }, { wallets }) => ({
      list(address) {
        const own = list(address)
        return own.length < 2 ? own : [...own, ...ofOthers({ list, wallets, address })]
      },
    })),
  },
  'auth-sessions-revoked-by-another': {
    breaks: 'a wallet may revoke the sessions of another one',
    rules: ['auth.sessions.own-only'],
    deviates: rest('POST /auth/sessions/:session_id/revoke', {
      of: [404],
      reply: success(({ auth, request, choices }) => {
        const { session_id: id } = request.params as Record<string, string> // as: of this route
        auth.sessions.end(choices.wire.sessionId.decode(id ?? '') ?? '')
        return { data: {} }
      }),
    }),
  },
  'auth-logout-all-ends-access': {
    breaks: 'a wallet loses its access by logout-all',
    rules: ['auth.logout-all.every-session'],
    deviates: {
      auth(auth) {
        const lost = new Set<string>()
        return {
          hasAccess: (address) => auth.hasAccess(address) && !lost.has(address),
          sessions: {
            ...auth.sessions,
            endAll(address) {
              lost.add(address)
              return auth.sessions.endAll(address)
            },
          },
        }
      },
    },
  },
  'ws-renewal-by-api-token': {
    breaks: 'an API token renews a connection',
    rules: ['ws.ticket.ends-connection'],
    deviates: socket((own) => ({
      ticket: (ticket, token) =>
        ticket === undefined && own.address !== null && token.startsWith('ss_')
          ? buildTicket(own.address, own.clock, TICKET_MS)
          : ticket,
    })),
  },
  'faucet-forgets-after-another': {
    breaks: 'an address may claim again once another address has claimed',
    rules: ['faucet.claim.once'],
    deviates: claimsForgottenAfter(1),
  },
  'route-hop-unknown': {
    breaks: 'the last hop of a route with several hops names a pool that is not there',
    rules: ['route.hops.exact-ids'],
    deviates: rest('GET /route', {
      when: only(hopsAreMany),
      reply: edit((body, { choices: { profile } }) => {
        const hops = valueAt(body, profile.route.hops) as Fields[] // as: the stub's body
        const key = String(valueAt(hops.at(-1), profile.route.hop.pool))
        setAt(hops.at(-1) ?? {}, profile.route.hop.pool, key.replace(/\d(?=\D*$)/, nextDigit))
      }),
    }),
  },
  'protocol-pending-429': {
    breaks: '/protocol/state returns 429 instead of 503 for a revision that is pending',
    rules: ['protocol.pending.503'],
    deviates: rest('GET /protocol/state', { of: [503], reply: error(429, 'not yet') }),
  },
} as const satisfies DeviationTable

function nextDigit(digit: string): string {
  return String((Number(digit) + 1) % 10)
}
