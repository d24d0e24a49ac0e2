import type { MutantTable } from './mutant-table.ts'

export const SWAP_MUTANTS = {
  'swaps-claimed-early': {
    breaks: 'a swap is shown as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
  },
} as const satisfies MutantTable
