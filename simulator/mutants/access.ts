import type { MutantTable } from './mutant-table.ts'

export const ACCESS_MUTANTS = {
  'access-ready-guarded': { breaks: '/ready takes a credential', rules: ['access.public.health'] },
  'access-stats-guarded': { breaks: '/pools/stats takes a credential', rules: ['access.public.pools'] },
  'access-oracle-guarded': {
    breaks: 'the oracle of a pool takes a credential',
    rules: ['access.public.pool-reads'],
  },
  'access-explore-tokens-guarded': {
    breaks: 'the tokens of /explore take a credential',
    rules: ['access.public.explore'],
  },
  'access-tokens-guarded': { breaks: '/tokens takes a credential', rules: ['access.public.tokens'] },
  'access-compliance-guarded': {
    breaks: 'the compliance state takes a credential',
    rules: ['access.public.compliance'],
  },
  'access-aggregator-guarded': {
    breaks: 'the pairs of the aggregator take a credential',
    rules: ['access.public.aggregator'],
  },
} as const satisfies MutantTable
