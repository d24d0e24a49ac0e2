import type { Choices } from '../choices/choices.ts'
import { all, by, every, from, only, query } from '../deviations/conditions.ts'
import type { Answer, Condition, Sent } from '../deviations/deviation.ts'
import { error, page, rest } from '../deviations/reactions.ts'
import type { DeviationTable } from './mutant-table.ts'

type Route = string | ((choices: Choices) => string)
type Reaction = (answer: Answer) => Sent

const compliance = ({ paths }: Choices) => `GET ${paths.compliance}`
const exploreTokens = ({ paths }: Choices) => `GET ${paths.exploreTokens}`
const pairs = ({ aggregator }: Choices) => `GET ${aggregator.prefix}/pairs`
const isLaterPage = only(({ query }) => Number(query.get('offset') ?? 0) > 0)

/** Public reads that are closed in other ways. */
export const PUBLIC_SYMPTOMS = {
  'access-metrics-guarded': closed('health', 'GET /metrics', '/metrics returns 401', error(401)),
  'access-metrics-forbidden': closed('health', 'GET /metrics', '/metrics returns 403', error(403)),
  'access-health-later': closed(
    'health',
    'GET /health',
    '/health returns 401 from the second request on',
    error(401),
    from(2),
  ),
  'access-ready-page': closed('health', 'GET /ready', '/ready returns 403 with a page of HTML', page(403)),
  'access-pool-forbidden': closed('pools', 'GET /pools/:key', '/pools/{key} returns 403', error(403)),
  'access-pool-guarded': closed('pools', 'GET /pools/:key', '/pools/{key} returns 401', error(401)),
  'access-stats-later': closed(
    'pools',
    'GET /pools/stats',
    '/pools/stats returns 401 from the second request on',
    error(401),
    from(2),
  ),
  'access-pools-guarded': closed('pools', 'GET /pools', '/pools returns 401', error(401)),
  'access-explore-forbidden': closed(
    'explore',
    'GET /explore/pools',
    '/explore/pools returns 403',
    error(403),
  ),
  'access-explore-search-guarded': closed(
    'explore',
    'GET /explore/pools',
    'a search of /explore/pools returns 401',
    error(401),
    query('search'),
  ),
  'access-explore-later-pages-guarded': closed(
    'explore',
    'GET /explore/pools',
    'later pages of /explore/pools return 401',
    error(401),
    isLaterPage,
  ),
  'access-explore-tokens-later': closed(
    'explore',
    exploreTokens,
    'the tokens of /explore return 401 from the second request on',
    error(401),
    from(2),
  ),
  'access-explore-tokens-page': closed(
    'explore',
    exploreTokens,
    'the tokens of /explore return 401 with a page of HTML',
    page(401),
  ),
  'access-compliance-every-other': closed(
    'compliance',
    compliance,
    'the compliance state returns 401 to every second request',
    error(401),
    every(2),
  ),
  'access-compliance-page': closed(
    'compliance',
    compliance,
    'the compliance state returns 403 with a page of HTML',
    page(403),
  ),
  'access-aggregator-every-other': closed(
    'aggregator',
    pairs,
    'the pairs of the aggregator return 401 to every second request',
    error(401),
    every(2),
  ),
  'access-aggregator-page': closed(
    'aggregator',
    pairs,
    'the pairs of the aggregator return 401 with a page of HTML',
    page(401),
  ),
} as const satisfies DeviationTable

/** To whoever comes without a credential. */
function closed(rule: string, route: Route, what: string, reply: Reaction, when?: Condition) {
  const missing = by('missing')
  return {
    breaks: `${what} without a credential`,
    rules: [`access.public.${rule}`],
    deviates: rest(route, { of: [200], when: when ? all(missing, when) : missing, reply }),
  }
}
