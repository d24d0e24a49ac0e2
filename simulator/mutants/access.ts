import type { Choices } from '../choices/choices.ts'
import { by } from './conditions.ts'
import type { DeviationTable } from './mutant-table.ts'
import { error, rest } from './reactions.ts'

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
