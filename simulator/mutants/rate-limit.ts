import type { MutantTable } from './mutant-table.ts'

export const RATE_LIMIT_MUTANTS = {
  'rate-limit-never': { breaks: 'nobody gets 429', rules: ['rate-limit.burst.429'] },
} as const satisfies MutantTable
