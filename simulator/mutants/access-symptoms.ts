import type { Choices } from '../choices/choices.ts'
import { all, by, from } from './conditions.ts'
import type { DeviationTable } from './mutant-table.ts'
import { error, page, rest } from './reactions.ts'

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
