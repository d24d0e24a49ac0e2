import type { MutantTable } from './mutant-table.ts'

export const RATE_LIMIT_MUTANTS = {
  'rate-limit-never': { breaks: 'nobody gets 429', rules: ['rate-limit.burst.429'] },
  'rate-limit-forever': {
    breaks: 'who got 429 once gets it ever after',
    rules: ['rate-limit.wait.recovers'],
  },
} as const satisfies MutantTable
