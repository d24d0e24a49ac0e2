import type { Alteration } from '../exchange/replies/alter-answers.ts'
import type { SWAP_MUTANTS } from './swaps.ts'

export const SWAP_ALTERATIONS: Readonly<Partial<Record<keyof typeof SWAP_MUTANTS, Alteration>>> = {
  'swaps-claimed-early': {
    routes: ['GET /swaps'],
    alter: ({ body }) => {
      const swaps = body.data as Record<string, unknown>[] // as: bodies of this exchange's own making
      for (const swap of swaps) {
        swap.claim_tx ??= swap.transaction
        swap.claimed_at ??= swap.executed_at
      }
    },
  },
}
