import type { MutantTable } from './mutant-table.ts'

export const ROUTE_MUTANTS = {
  'route-4-hops': { breaks: 'routes of four hops are served', rules: ['route.hops.at-most-3'] },
  'route-none-400': { breaks: 'a pair without a route answers 400', rules: ['route.none.404'] },
  'protocol-pending-without-code': {
    breaks: 'the 503 of a pending revision has no code',
    rules: ['protocol.pending.503'],
  },
} as const satisfies MutantTable
