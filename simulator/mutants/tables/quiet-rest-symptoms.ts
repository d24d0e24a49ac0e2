/** REST mutants that break one resource of several, act only later, or act only for one credential or row. */
import type { Auth } from '../../auth/auth.ts'
import { valueAt } from '../../demo-client.ts'
import { all, between, by, only, query } from '../conditions.ts'
import type { DeviationRequest, DeviationTable, RestDeviation } from '../deviation.ts'
import {
  edit,
  editAt,
  error,
  type Fields,
  fromCache,
  header,
  rest,
  rewrite,
  rows,
  setAt,
} from '../reactions.ts'
import { withoutCsrfToken } from './auth-symptoms.ts'

const EXPLORE = 'GET /explore/pools'
const SWAPS = 'GET /swaps'
const MINT = 'POST /tokens/mint'
const ROUTE = 'GET /route'
const REFUSED = [400, 401, 403]
const isUnlimited = only(({ query }) => !query.has('limit'))
const isLaterPage = only(({ query }) => Number(query.get('offset') ?? 0) > 0)
const totalOfPage = edit(
  (body) => Object.assign(body.pagination as Fields, { total: (body.data as Fields[]).length }), // as: the stub's body
)

export const QUIET_REST_SYMPTOMS = {
  'admin-mint-others-500': {
    breaks: 'a mint by a wallet that is not an administrator returns 500',
    rules: ['admin.mint.refused-to-others'],
    deviates: rest(MINT, {
      of: REFUSED,
      when: all(
        by('session'),
        only(
          ({ request: { credential }, auth }) =>
            typeof credential !== 'string' && !auth.isAdmin(credential.address),
        ),
      ),
      reply: error(500),
    }),
  },
  'admin-mint-token-500': {
    breaks: 'a mint by an API token returns 500',
    rules: ['admin.mint.session-only'],
    deviates: rest(MINT, { of: REFUSED, when: by('api-token'), reply: error(500) }),
  },
  'rate-limit-503': {
    breaks: '/access/status returns 503 instead of 429',
    rules: ['rate-limit.burst.429'],
    deviates: rest('GET /access/status', { of: [429], reply: error(503) }),
  },
  'paging-100-500': {
    breaks: 'limit=100 of /explore/pools returns 500',
    rules: ['paging.limit.accepts-100'],
    deviates: rest(EXPLORE, { when: query('limit', '100'), reply: error(500) }),
  },
  'paging-swaps-100-500': {
    breaks: 'limit=100 of /swaps returns 500',
    rules: ['paging.swaps.accepts-100'],
    deviates: rest(SWAPS, { when: query('limit', '100'), reply: error(500) }),
  },
  'protocol-pending-wait-iso': {
    breaks: 'the Retry-After of a pending revision is an ISO 8601 date',
    rules: ['protocol.pending.retry-after'],
    deviates: rest('GET /protocol/state', {
      of: [503],
      reply: header('retry-after', ({ clock }) => new Date(clock.nowMs() + 2000).toISOString()),
    }),
  },
  'paging-1-empty': {
    breaks: 'a page of /explore/pools ends one row early',
    rules: ['paging.limit.accepts-1'],
    sometimes: ['paging.explore.search'],
    deviates: rest(EXPLORE, { when: query('limit', '1'), reply: rows((page) => page.slice(0, -1)) }),
  },
  'paging-swaps-1-empty': {
    breaks: 'a page of one swap is empty',
    rules: ['paging.swaps.accepts-1'],
    deviates: rest(SWAPS, { when: query('limit', '1'), reply: rows(() => []) }),
  },
  'paging-no-limit-all': {
    breaks: '/explore/pools without a limit returns more than 100 rows',
    rules: ['paging.limit.accepts-100'],
    deviates: rest(EXPLORE, { when: isUnlimited, reply: rows(beyond100) }),
  },
  'paging-swaps-no-limit-all': {
    breaks: '/swaps without a limit returns more than 100 rows',
    rules: ['paging.swaps.at-most-100'],
    deviates: rest(SWAPS, { when: isUnlimited, reply: rows(beyond100) }),
  },
  'paging-explore-total-of-page': {
    breaks: 'the total of /explore/pools is the number of rows on the page',
    rules: ['paging.explore.complete'],
    deviates: rest(EXPLORE, { reply: totalOfPage }),
  },
  'auth-logout-unclaimed-cached': {
    breaks: '/unclaimed stays available to a session that has ended',
    rules: ['auth.logout.current-only', 'auth.logout-all.every-session', 'auth.sessions.revoke'],
    deviates: rest('GET /unclaimed', { of: [200, 401], when: wasServed(accessToken), reply: fromCache }),
  },
  'api-token-revoke-keeps-tickets': {
    breaks: 'an API token that was revoked still gets a ticket',
    rules: ['api-token.revoke.ends'],
    deviates: rest('GET /auth/ws-ticket', { of: [200, 401], when: wasServed(bearer), reply: fromCache }),
  },
  'api-token-revoke-all': {
    breaks: 'the revocation of an API token revokes every token of its wallet',
    rules: ['api-token.revoke.ends'],
    deviates: {
      auth: ({ apiTokens }) => ({ apiTokens: { ...apiTokens, revoke: revokingAll(apiTokens) } }),
    },
  },
  'auth-csrf-ends-at-refresh': {
    breaks: 'the CSRF token of a session is rejected after a refresh, so that it cannot log out',
    rules: ['auth.csrf.required', 'auth.logout.current-only'],
    deviates: rest(['POST /auth/logout', 'POST /auth/logout-all', 'DELETE /api-tokens/:id'], {
      when: only(({ request: { credential }, auth }) => {
        const session = typeof credential === 'string' ? undefined : auth.sessions.byId(credential.id)
        return session !== undefined && session.refreshedAtMs !== session.createdAtMs
      }),
      request: withoutCsrfToken,
    }),
  },
  'access-oracle-500': failing('GET /pools/:key/oracle', 'the oracle of a pool', 'access.public.pool-reads'),
  'access-stats-500': failing('GET /pools/stats', '/pools/stats', 'access.public.pools'),
  'api-token-balances-500': {
    breaks: 'the balances of a wallet return 500 to an API token',
    rules: ['api-token.covers.data'],
    deviates: rest(({ profile }) => `GET ${profile.balancesPath}`, {
      when: by('api-token'),
      reply: error(500),
    }),
  },
  'route-none-large-500': {
    breaks: '/route returns 500 for amounts that need more than 72 bits',
    rules: ['route.none.404'],
    deviates: rest(ROUTE, {
      of: [200, 400, 404],
      when: only(({ query }) => /^[0-9]{22,}$/.test(query.get('amount_in') ?? '')),
      reply: error(500),
    }),
  },
  'auth-verify-address-other': {
    breaks: 'verify returns the address of another wallet',
    rules: ['auth.verify.body'],
    deviates: rest('POST /auth/verify', {
      reply: edit((body, { choices }) => {
        const path = choices.profile.verify.address
        setAt(body, path, String(valueAt(body, path)).split('').toReversed().join(''))
      }),
    }),
  },
  'paging-key-fee-rounded': {
    breaks: '/pools/{key} rounds the fee that /pools shows',
    rules: ['paging.key.round-trip'],
    deviates: rest('GET /pools/:key', {
      reply: editAt('data', (pool) => Object.assign(pool, { fee: '1' })),
    }),
  },
  'wire-route-404-text': {
    breaks: 'a pair without a route returns its error as plain text',
    rules: ['wire.error.body-shape'],
    deviates: rest(ROUTE, {
      of: [404],
      reply: ({ reply }) => {
        reply.type('text/plain; charset=utf-8')
        return { text: 'no route' }
      },
    }),
  },
  'paging-swaps-offset-ignored': {
    ...shownPages('/swaps ignores its offset', {
      when: isLaterPage,
      request: rewrite((query) => query.set('offset', '0')),
    }),
    sometimes: ['paging.swaps.filter'],
  },
  'paging-swaps-row-repeated': shownPages('later pages of /swaps start one row early', {
    when: isLaterPage,
    request: rewrite((query) => query.set('offset', String(Number(query.get('offset')) - 1))),
  }),
  'paging-swaps-total-of-page': swapPages('the total of /swaps is the number of rows on the page', {
    reply: totalOfPage,
  }),
  'paging-pools-end-int32': {
    breaks: 'an offset of /pools beyond 32 bits returns 500',
    rules: ['paging.pools.ends'],
    deviates: rest('GET /pools', { of: [200, 400], when: between('offset', 2 ** 31), reply: error(500) }),
  },
  'auth-logout-ends-api-tokens': {
    breaks: 'logout revokes the API tokens of the wallet that have an expiry',
    rules: ['auth.logout.current-only'],
    sometimes: ['api-token.covers.data'],
    deviates: rest('POST /auth/logout', {
      reply({ auth: { apiTokens }, request: { credential } }) {
        if (typeof credential === 'string') return undefined
        const { address } = credential
        for (const { id, expiresAtMs } of apiTokens.list(address))
          if (expiresAtMs !== null) apiTokens.revoke({ address, id })
        return undefined
      },
    }),
  },
  'swaps-pending-cached': {
    breaks: 'a session gets the /unclaimed response of another credential',
    rules: ['swaps.pending.own-only'],
    deviates: rest('GET /unclaimed', { when: by('session'), reply: fromCache }),
  },
  'swaps-pending-of-others': {
    breaks: '/unclaimed also lists what another wallet got last',
    rules: ['swaps.pending.own-only'],
    deviates: rest('GET /unclaimed', {
      reply: editAt('data', (data, { cached }) => {
        const others = (valueAt(JSON.parse(cached ?? '{}'), 'data.pending_swaps') ?? []) as Fields[] // as: the stub's body
        const own = data.pending_swaps as Fields[]
        const isOwn = ({ swap_id: id }: Fields) => own.some((swap) => swap.swap_id === id)
        data.pending_swaps = [...own, ...others.filter((swap) => !isOwn(swap))]
      }),
    }),
  },
} as const satisfies DeviationTable

function beyond100(page: readonly Fields[]): Fields[] {
  return Array.from({ length: 101 }, (_, index) => page[index % page.length] ?? []).flat()
}

function swapPages(breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  return { breaks, rules: ['paging.swaps.complete'], deviates: rest(SWAPS, deviates) }
}

/** The body shows the other offset too. */
function shownPages(breaks: string, deviates: Omit<RestDeviation, 'routes'>) {
  const rules = ['paging.swaps.complete', 'paging.pagination.fields']
  return { ...swapPages(breaks, deviates), rules }
}

function failing(route: string, what: string, rule: string) {
  return {
    breaks: `${what} returns 500 without a credential`,
    rules: [rule],
    deviates: rest(route, { when: by('missing'), reply: error(500) }),
  }
}

type Secret = (incoming: DeviationRequest) => string | undefined

function accessToken({ request, choices }: DeviationRequest): string | undefined {
  return request.cookies[choices.profile.cookies.access]
}

function bearer({ request }: DeviationRequest): string | undefined {
  return request.headers.authorization
}

/** Error responses to a credential that this route served before. */
function wasServed(readSecret: Secret) {
  return () => {
    const served = new Set<string>()
    return (incoming: DeviationRequest): boolean => {
      const secret = readSecret(incoming)
      if (secret === undefined) return false
      if (incoming.status === 200) served.add(secret)
      return incoming.status === 401 && served.has(secret)
    }
  }
}

function revokingAll({ list, revoke }: Auth['apiTokens']): Auth['apiTokens']['revoke'] {
  return ({ address, id }) => {
    const wasThere = revoke({ address, id })
    if (wasThere) for (const other of list(address)) revoke({ address, id: other.id })
    return wasThere
  }
}
