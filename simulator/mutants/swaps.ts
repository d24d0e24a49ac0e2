import type { DeviationTable } from './mutant-table.ts'
import { editRows, rest } from './reactions.ts'

export const SWAP_MUTANTS = {
  'swaps-claimed-early': {
    breaks: 'a swap is shown as claimed from the start',
    rules: ['swaps.claimed.not-pending'],
    deviates: rest('GET /swaps', {
      reply: editRows((swap) => {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }),
    }),
  },
} as const satisfies DeviationTable
