import type { Choices } from '../../choices/choices.ts'
import { all, by, from, only } from '../conditions.ts'
import type { Deviation, DeviationRequest, DeviationTable, RestDeviation } from '../deviation.ts'
import { editAt, error, page, rest, statusOnly, success } from '../reactions.ts'
import { readAddress } from './auth-symptoms.ts'

export const ACCESS_MUTANTS = {
  'access-ready-guarded': {
    breaks: '/ready requires a credential',
    rules: ['access.public.health'],
    deviates: guarded('GET /ready'),
  },
  'access-stats-guarded': {
    breaks: '/pools/stats requires a credential',
    rules: ['access.public.pools'],
    deviates: guarded('GET /pools/stats'),
  },
  'access-oracle-guarded': {
    breaks: 'the oracle of a pool requires a credential',
    rules: ['access.public.pool-reads'],
    deviates: guarded('GET /pools/:key/oracle'),
  },
  'access-explore-tokens-guarded': {
    breaks: 'the tokens of /explore require a credential',
    rules: ['access.public.explore'],
    deviates: guarded(({ paths }) => `GET ${paths.exploreTokens}`),
  },
  'access-tokens-guarded': {
    breaks: '/tokens requires a credential',
    rules: ['access.public.tokens'],
    deviates: guarded('GET /tokens'),
  },
  'access-compliance-guarded': {
    breaks: 'the compliance state requires a credential',
    rules: ['access.public.compliance'],
    deviates: guarded(({ paths }) => `GET ${paths.compliance}`),
  },
  'access-aggregator-guarded': {
    breaks: 'the pairs of the aggregator require a credential',
    rules: ['access.public.aggregator'],
    deviates: guarded(({ aggregator }) => `GET ${aggregator.prefix}/pairs`),
  },
} as const satisfies DeviationTable

/** 401 without a credential. */
function guarded(route: string | ((choices: Choices) => string)) {
  return rest(route, { when: by('missing'), reply: error(401, 'credentials are missing') })
}

type Route = string | ((choices: Choices) => string)

const compliance = ({ paths }: Choices) => `GET ${paths.compliance}`
const exploreTokens = ({ paths }: Choices) => `GET ${paths.exploreTokens}`
const pairs = ({ aggregator }: Choices) => `GET ${aggregator.prefix}/pairs`

/** Public reads that are not public. */
export const ACCESS_SYMPTOMS = {
  'access-health-forbidden': {
    breaks: '/health returns 403',
    rules: ['access.public.health'],
    deviates: forbidden('GET /health'),
  },
  'access-stats-forbidden': {
    breaks: '/pools/stats returns 403 without a credential',
    rules: ['access.public.pools'],
    deviates: forbidden('GET /pools/stats'),
  },
  'access-ohlcv-forbidden': {
    breaks: 'the candles of a pool return 403 without a credential',
    rules: ['access.public.pool-reads'],
    deviates: forbidden('GET /pools/:key/ohlcv'),
  },
  'access-trades-guarded': {
    breaks: 'the trades of a pool require a credential',
    rules: ['access.public.pool-reads'],
    deviates: rest('GET /pools/:key/trades', { when: by('missing'), reply: error(401) }),
  },
  'access-explore-tokens-forbidden': {
    breaks: 'the tokens of /explore return 403 without a credential',
    rules: ['access.public.explore'],
    deviates: forbidden(exploreTokens),
  },
  'access-tokens-forbidden': {
    breaks: '/tokens returns 403 without a credential',
    rules: ['access.public.tokens'],
    deviates: forbidden('GET /tokens'),
  },
  'access-tokens-once': {
    breaks: '/tokens requires a credential from the second request on',
    rules: ['access.public.tokens'],
    deviates: once('GET /tokens'),
  },
  'access-compliance-forbidden': {
    breaks: 'the compliance state returns 403 without a credential',
    rules: ['access.public.compliance'],
    deviates: forbidden(compliance),
  },
  'access-aggregator-forbidden': {
    breaks: 'the pairs of the aggregator return 403 without a credential',
    rules: ['access.public.aggregator'],
    deviates: forbidden(pairs),
  },
  'access-metrics-guarded': {
    breaks: '/metrics returns 401 without a credential',
    rules: ['access.public.health'],
    deviates: rest('GET /metrics', { when: by('missing'), reply: error(401) }),
  },
  'access-stats-once': {
    breaks: '/pools/stats requires a credential from the second request on',
    rules: ['access.public.pools'],
    deviates: once('GET /pools/stats'),
  },
  'access-explore-tokens-once': {
    breaks: 'the tokens of /explore require a credential from the second request on',
    rules: ['access.public.explore'],
    deviates: once(exploreTokens),
  },
  'access-compliance-page': {
    breaks: 'the compliance state returns 401 with an HTML page without a credential',
    rules: ['access.public.compliance'],
    deviates: rest(compliance, { when: by('missing'), reply: page(401) }),
  },
  'access-aggregator-once': {
    breaks: 'the pairs of the aggregator require a credential from the second request on',
    rules: ['access.public.aggregator'],
    deviates: once(pairs),
  },
} as const satisfies DeviationTable

/** 403 without a credential. */
function forbidden(route: Route) {
  return rest(route, { when: by('missing'), reply: error(403, 'access is required') })
}

/** 401 without a credential, except for the first request. */
function once(route: Route) {
  return rest(route, { when: all(by('missing'), from(2)), reply: error(401, 'credentials are missing') })
}

/**
 * Lets a wallet without access sign in, as the alternative choices do; its later requests are still judged as usual.
 */
export const anyoneSignsIn: NonNullable<Deviation['auth']> = (auth, { choices }) => {
  if (choices.signInWithoutAccess === 'allowed') return {}
  let entering: string | undefined
  return {
    challenges: {
      ...auth.challenges,
      answer(request) {
        const wallet = auth.challenges.answer(request)
        entering = wallet?.address
        return wallet
      },
    },
    hasAccess(address) {
      const enters = address === entering
      entering = undefined
      return enters || auth.hasAccess(address)
    },
  }
}

/** The response to verify for a wallet without access, whose signature is valid. */
function entryDenied(reply: NonNullable<RestDeviation['reply']>): Deviation {
  const isWithoutAccess = only((incoming) => !incoming.auth.hasAccess(readAddress(incoming)))
  return rest('POST /auth/verify', { of: [200, 201, 403], when: isWithoutAccess, reply })
}

/** Keeps cookies. */
function denial(body: object): NonNullable<RestDeviation['reply']> {
  return ({ reply }) => {
    reply.code(403).type('application/json; charset=utf-8')
    return { text: JSON.stringify(body) }
  }
}

/** Requests of a wallet that has refreshed a session. */
function hasRefreshed() {
  const refreshed = new Set<string>()
  return ({ request: { credential, method } }: DeviationRequest): boolean => {
    if (typeof credential === 'string') return false
    if (method === 'POST') refreshed.add(credential.address)
    return refreshed.has(credential.address)
  }
}

/** Routes that serve those without access, or reject them with the wrong status. */
export const DENIAL_SYMPTOMS = {
  'referral-attribution-without-credential': {
    breaks: 'attribution to a referral code needs no credentials',
    rules: ['referral.attribution.session-only'],
    deviates: rest(({ profile }) => [`POST ${profile.referral.attributionPath}`], {
      when: by('missing'),
      of: [401],
      reply: success(() => ({ data: {} })),
    }),
  },
  'referral-redeem-missing-403': {
    breaks: 'redeeming a code without credentials returns 403',
    rules: ['referral.redeem.session-only'],
    deviates: rest(({ profile }) => [`POST ${profile.referral.redeemPath}`], {
      when: by('missing'),
      of: [401],
      reply: statusOnly(403),
    }),
  },
  'auth-access-verify-404': {
    breaks: 'a valid signature of a wallet without access returns 404',
    rules: ['auth.access.denied-403'],
    deviates: entryDenied(error(404, 'no such wallet')),
  },
  'auth-access-403-refreshes': {
    breaks: 'verify denies a wallet without access with 403, and sets cookies that can be refreshed',
    rules: ['auth.access.denied-403'],
    deviates: { auth: anyoneSignsIn, ...entryDenied(denial({ error: 'no access' })) },
  },
  'auth-access-403-without-error': {
    breaks: 'verify denies a wallet without access with a 403 that has no `error`',
    rules: ['wire.error.body-shape'],
    deviates: entryDenied((response) => {
      response.reply.removeHeader('set-cookie')
      return denial({ code: 'access_required' })(response)
    }),
  },
  'auth-access-served-after-refresh': {
    breaks: 'a wallet without access may sign in, and read /swaps after a refresh',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      ...rest(['POST /auth/refresh', 'GET /swaps'], { when: hasRefreshed, needs: { access: false } }),
    },
  },
  'auth-access-not-for-unclaimed': {
    breaks: 'a wallet without access may sign in and read /unclaimed',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /unclaimed'], needs: { access: false } }],
    },
  },
  'auth-access-not-for-route': {
    breaks: 'a wallet without access may sign in and get routes',
    rules: ['auth.access.denied-403'],
    deviates: { auth: anyoneSignsIn, rest: [{ routes: () => ['GET /route'], needs: { access: false } }] },
  },
  'auth-access-not-for-balances': {
    breaks: 'a wallet without access may sign in and read its balances',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: ({ profile }) => [`GET ${profile.balancesPath}`], needs: { access: false } }],
    },
  },
  'auth-access-not-for-tokens': {
    breaks: 'a wallet without access may sign in and create API tokens',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [
        {
          routes: () => ['POST /api-tokens', 'DELETE /api-tokens/:id'],
          needs: { access: false },
        },
      ],
    },
  },
  'auth-access-denied-401': {
    breaks: 'a wallet without access may sign in, and gets 401 at /fee-tiers',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /fee-tiers'], when: by('session'), of: [403], reply: statusOnly(401) }],
    },
  },
  'auth-access-denied-route-404': {
    breaks: 'a wallet without access may sign in, and gets 404 at /route',
    rules: ['auth.access.denied-403'],
    deviates: {
      auth: anyoneSignsIn,
      rest: [{ routes: () => ['GET /route'], when: by('session'), of: [403], reply: error(404) }],
    },
  },
  'access-status-false-by-token': {
    breaks: '/access/status denies the access of a wallet to its API tokens',
    rules: ['referral.access.record'],
    deviates: rest('GET /access/status', {
      when: by('api-token'),
      reply: editAt('data', (data) => Object.assign(data, { has_access: false })),
    }),
  },
} as const satisfies DeviationTable
