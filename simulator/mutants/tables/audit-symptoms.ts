import { valueAt } from '../../demo-client.ts'
import { all, by, only, query, upTo } from '../conditions.ts'
import type { DeviationTable } from '../deviation.ts'
import {
  edit,
  editRows,
  emptyPage,
  error,
  type Fields,
  page,
  poolPath,
  rest,
  rewrite,
  rows,
  setAt,
  success,
} from '../reactions.ts'
import { tokens } from './api-token.ts'
import { hopsAreMany } from './route-symptoms.ts'
import { claimsForgottenAfter } from './sequence-lists.ts'
import { ofOthers } from './session-end-symptoms.ts'
import { sessions } from './session-symptoms.ts'
import { buildTicket, socket } from './socket-symptoms.ts'

function renamed(name: string, newName: string) {
  return (body: Record<string, unknown>) => {
    body[newName] = body[name]
    delete body[name]
  }
}

/** Gaps that a sentence-by-sentence audit of the probes against the specification found. */
export const AUDIT_SYMPTOMS = {
  'paging-1000-served': {
    breaks: '/explore/pools accepts limit=1000',
    rules: ['paging.limit.rejects-101'],
    deviates: rest('GET /explore/pools', {
      when: query('limit', '1000'),
      of: [400],
      reply: emptyPage(9),
    }),
  },
  'paging-fraction-served': {
    breaks: '/explore/pools rounds the limit',
    rules: ['paging.limit.rejects-text'],
    deviates: rest('GET /explore/pools', {
      when: query('limit', '1.5'),
      request: rewrite((query) => query.set('limit', '1')),
    }),
  },
  'paging-swaps-0-empty': {
    breaks: '/swaps returns an empty page for limit=0',
    rules: ['paging.swaps.at-least-1'],
    deviates: rest('GET /swaps', {
      when: query('limit', '0'),
      of: [400],
      reply: emptyPage(9),
    }),
  },
  'paging-swaps-negative-unbounded': {
    breaks: '/swaps treats a negative limit as no limit',
    rules: ['paging.swaps.at-least-1'],
    deviates: rest('GET /swaps', {
      when: query('limit', '-1'),
      request: rewrite((query) => query.set('limit', '100')),
      reply: rows((page) => [...page, ...page]),
    }),
  },
  'paging-swaps-1000-served': {
    breaks: '/swaps returns limit=1000 in full',
    rules: ['paging.swaps.at-most-100'],
    deviates: rest('GET /swaps', {
      when: query('limit', '1000'),
      request: rewrite((query) => query.set('limit', '100')),
      reply: rows((page) => [...page, ...page]),
    }),
  },
  'protocol-next-404': {
    breaks: '/protocol/state returns 404 to the first request for a future revision',
    rules: ['protocol.pending.503'],
    deviates: rest('GET /protocol/state', {
      when: upTo(1),
      of: [503],
      reply: error(404, 'no such revision'),
    }),
  },
  'wire-error-401-message': {
    breaks: 'the 401 of /unclaimed has its text in `message`, not in `error`',
    rules: ['wire.error.body-shape'],
    deviates: rest('GET /unclaimed', {
      of: [401],
      reply: edit(renamed('error', 'message')),
    }),
  },
  'wire-error-mint-list': {
    breaks: 'a rejected mint returns a list of errors',
    rules: ['wire.error.body-shape'],
    deviates: rest('POST /tokens/mint', {
      of: [400, 401, 422],
      reply: edit((body) => Object.assign(body, { error: [body.error] })),
    }),
  },
  'wire-error-code-number': {
    breaks: 'the 404 of /route has its status as `code`',
    rules: ['wire.error.body-shape'],
    deviates: rest('GET /route', {
      of: [404],
      reply: edit((body) => Object.assign(body, { code: 404 })),
    }),
  },
  'wire-error-refresh-ref': {
    breaks: 'a rejected refresh has an object as `ref`',
    rules: ['wire.error.body-shape'],
    deviates: rest('POST /auth/refresh', {
      of: [401, 409],
      reply: edit((body) => Object.assign(body, { ref: { id: body.ref } })),
    }),
  },
  'wire-error-500-bare': {
    breaks: '/schema/trading fails five times with a 500 that has no `error`',
    rules: ['wire.error.body-shape'],
    deviates: rest('GET /schema/trading', {
      when: all(by('session', 'api-token'), upTo(5)),
      reply: ({ reply }) => {
        reply.code(500)
        return { text: '{"message":"internal"}' }
      },
    }),
  },
  'wire-401-page': {
    breaks: 'the 401 of /swaps is an HTML page',
    rules: ['wire.body.json'],
    deviates: rest('GET /swaps', {
      of: [401],
      reply: page(401),
    }),
  },
  'swaps-claim-undated': {
    breaks: 'a claimed swap has no claim time',
    rules: ['swaps.claimed.both-fields'],
    deviates: rest('GET /swaps', {
      reply: editRows((swap) => {
        delete swap.claimed_at
      }),
    }),
  },
  'swaps-claim-without-tx': {
    breaks: 'one claimed swap in three has no claim transaction',
    rules: ['swaps.claimed.both-fields'],
    deviates: rest('GET /swaps', {
      reply: editRows((swap) => {
        if (String(swap.claim_tx).charCodeAt(8) % 3 === 0) delete swap.claim_tx
      }),
    }),
  },
  'ws-launch-other-pool': {
    breaks: 'the key of PoolLaunch reads a record that has another key',
    rules: ['ws.launch.readable', 'paging.key.round-trip'],
    deviates: {
      socket: ({ choices }) => ({
        message: (message) => {
          if (message.type !== 'PoolLaunch') return undefined
          const path = poolPath(message, choices)
          setAt(message, path, `${valueAt(message, path)}~`)
          return [message]
        },
      }),
      rest: [
        {
          routes: () => ['GET /pools/:key'],
          request: ({ request }) => {
            const params = request.params as { key: string } // as: parameters of the route
            params.key = params.key.replace(/~$/, '')
          },
        },
      ],
    },
  },
} as const satisfies DeviationTable

const TICKET_MS = 60_000

/** Breaks that an independent exchange had and that probes missed: they show only after one more step. */
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
  'api-token-foreign-revoke-200': {
    breaks: 'the response to a wallet that revokes the API token of another says that it is revoked',
    rules: ['api-token.revoke.own-only'],
    deviates: rest('DELETE /api-tokens/:id', {
      of: [403, 404],
      when: only(({ request: { credential, params }, auth }) => {
        const { id = '' } = params as { id?: string } // as: parameters of this route
        const owner = auth.apiTokens.byId(id)?.address
        return typeof credential !== 'string' && owner !== undefined && owner !== credential.address
      }),
      reply: success(({ request }) => ({ data: { ...(request.params as object), revoked: true } })), // as: has the id
    }),
  },
  'api-token-30-days-are-90': {
    breaks: 'an API token for 30 days lives 90 days',
    rules: ['api-token.life.expires'],
    deviates: tokens(({ create }) => ({
      create: ({ expiresInDays, ...request }) =>
        create({ ...request, expiresInDays: expiresInDays === 30 ? 90 : expiresInDays }),
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
